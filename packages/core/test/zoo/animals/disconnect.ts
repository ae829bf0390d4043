import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { PetasosError } from '../../../src/contract/index.js';
import type { ExecResult, JobInfo } from '../../../src/sandbox/types.js';
import { behindFaultyLine } from '../../../src/testing/index.js';
import { type Animal, breakExec, breakSandbox, overlay } from '../animal.js';
import { breakFiles, breakJobs, breakShell } from '../parts.js';

/** The healthy subject behind a line that the suite can cut, broken. */
const behindLine = (breakIt: Animal['breakIt']): Animal['breakIt'] => {
  return (healthy) => {
    const { backend, faults } = behindFaultyLine(healthy.backend);
    return breakIt({ ...healthy, backend, faults });
  };
};

const wasCut = (result: ExecResult) => result.ended === 'disconnected' || result.ended === 'destroyed';

const whenCut = (change: (result: ExecResult) => ExecResult | Promise<ExecResult>) =>
  behindLine(
    breakExec(async (sandbox, command, options) => {
      const result = await sandbox.exec(command, options);
      return wasCut(result) ? change(result) : result;
    }),
  );

const never = <T>() => new Promise<T>(() => {});

export const disconnectAnimals: readonly Animal[] = [
  {
    name: 'fabricates exit 0 on a lost connection',
    caughtBy: 'L3.cut',
    breakIt: whenCut((result) => ({ ...result, ended: 'exited', exitCode: 0 })),
  },
  { name: 'hangs on a lost connection', caughtBy: 'L3.cut', breakIt: whenCut(() => never()) },
  {
    name: 'throws on a lost connection and loses the output',
    caughtBy: 'L3.cut',
    breakIt: whenCut(() => {
      throw new PetasosError('disconnected', 'the line was cut');
    }),
  },
  {
    name: 'leaves the foreground running when the connection is lost',
    caughtBy: 'E5.cut',
    breakIt: behindLine(
      breakExec(async (sandbox, command, options) => {
        const marker = /^env (PETASOS_MARK)=(\S+) sleep/.exec(command);
        if (!marker) return sandbox.exec(command, options);
        spawn('sleep', ['8'], { env: { [marker[1] ?? '']: marker[2] }, stdio: 'ignore', detached: true }).unref();
        return sandbox.exec('sleep 60', options);
      }),
    ),
  },
  {
    name: 'loses its jobs with the connection',
    caughtBy: 'E5.cut',
    breakIt: behindLine(
      breakJobs((_, sandbox) => ({
        start: async (command): Promise<JobInfo> => {
          const process = await sandbox.spawn(command);
          process.stdout.resume();
          process.stderr.resume();
          const rest = { exitCode: null, signal: null, pid: null, startedAt: new Date(), endedAt: undefined };
          return { id: 'spawned', command, state: 'running', ...rest };
        },
      })),
    ),
  },
  {
    name: 'forgets spawned processes when the connection is lost',
    caughtBy: 'L3.cut-concurrent',
    breakIt: behindLine(
      breakSandbox((sandbox) => ({
        spawn: async (command, options) => {
          const process = await sandbox.spawn(command, options);
          const exited = process.exited.then((end) => (end.ended === 'disconnected' ? never<typeof end>() : end));
          return overlay(process, { exited });
        },
      })),
    ),
  },
  {
    name: 'takes half a file for a whole one when the connection is lost',
    caughtBy: 'F3.cut',
    breakIt: behindLine(
      breakFiles((files) => ({
        readStream: async (path, range) => {
          const source = await files.readStream(path, range);
          const stream = new PassThrough();
          source.on('error', () => stream.end()).on('close', () => stream.end());
          return source.pipe(stream);
        },
      })),
    ),
  },
  {
    name: 'waits for a place that is dead',
    caughtBy: 'L3.place-killed',
    breakIt: whenCut(() => never()),
  },
  {
    name: 'works on in a place that is dead',
    caughtBy: 'L3.place-killed',
    breakIt: behindLine(breakFiles((files) => ({ read: (path, range) => files.read(path, range).catch(() => new Uint8Array()) }))),
  },
  {
    name: 'waits for a frozen place beyond the timeout',
    caughtBy: 'L3.place-frozen',
    breakIt: behindLine(
      breakExec(async (sandbox, command, options) => {
        const result = await sandbox.exec(command, options);
        return result.ended === 'timed-out' || wasCut(result) ? never() : result;
      }),
    ),
  },
  {
    name: 'waits for a place that cannot start a command which is aborted',
    caughtBy: 'L3.frozen-starts',
    breakIt: behindLine(
      breakExec(async (sandbox, command, options) => {
        const result = await sandbox.exec(command, options);
        return result.ended === 'aborted' ? never() : result;
      }),
    ),
  },
  {
    name: 'waits for a place that does not say where it is before a command times out',
    caughtBy: 'L3.frozen-first',
    breakIt: behindLine(
      breakSandbox((sandbox) => {
        let known = false;
        return {
          exec: async (command, options) => {
            const result = await sandbox.exec(command, options);
            if (!known && result.ended === 'timed-out') return never();
            known = true;
            return result;
          },
        };
      }),
    ),
  },
  {
    name: 'lets a command of a session that outlives its result have the last word',
    caughtBy: 'S3.outlived',
    breakIt: behindLine(
      breakShell((shell) => {
        let outlives = false;
        return {
          exec: async (command, options) => {
            const result = await shell.exec(command, options);
            if (outlives) await shell.exec('N=late');
            outlives = result.ended === 'aborted';
            return result;
          },
        };
      }),
    ),
  },
  {
    name: 'takes a slow connection for a lost one',
    caughtBy: 'E10.slow-line',
    breakIt: behindLine(
      breakExec((sandbox, command, options) => {
        const late = delay(150).then((): never => {
          throw new PetasosError('disconnected', 'no answer');
        });
        late.catch(() => {});
        return command === 'cat' ? Promise.race([sandbox.exec(command, options), late]) : sandbox.exec(command, options);
      }),
    ),
  },
];
