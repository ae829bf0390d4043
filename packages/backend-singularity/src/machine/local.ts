import { type ChildProcess, spawn } from 'node:child_process';
import type { DriverExit, DriverProcess, HostInfo } from '@petasos/core/backend';
import { failure } from '../errors.js';
import { machineEnvironment } from './environment.js';
import { collect, type Machine } from './machine.js';

/** This machine. */
export function localMachine(hostEnv: HostInfo['env']): Machine {
  const env = machineEnvironment(hostEnv);
  return {
    title: 'this machine',
    run: async (argv, options = {}) => collect(await start(argv, env, options.input !== undefined), options),
    spawn: (argv, stdin) => start(argv, env, stdin, stdin ? farewellMs : 0),
    close() {},
  };
}

/** In a session of its own: no terminal that a program could take over, and no Ctrl-C that was meant for Petasos. */
async function launch(argv: readonly string[], env: Record<string, string>, stdin: boolean): Promise<ChildProcess> {
  const [program = '', ...args] = argv;
  // Where a command starts is said with each command; the directory of this process may not exist in there.
  const child = spawn(program, args, { cwd: '/', env, detached: true, stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(
        failure('place-failed', `cannot start ${program} on this machine`, {
          operation: 'spawn',
          remedy: `Check that ${program} is installed and may be run.`,
          cause,
        }),
      ),
    );
  });
  return child;
}

async function start(argv: readonly string[], env: Record<string, string>, stdin: boolean, patienceMs = 0): Promise<DriverProcess> {
  const child = await launch(argv, env, stdin);
  const { stdin: input, stdout, stderr } = child;
  if (!stdout || !stderr) throw failure('internal', 'a child without streams');
  const exited = new Promise<DriverExit>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  return {
    stdin: input ?? undefined,
    stdout,
    stderr,
    exited,
    kill() {
      for (const stream of [input, stdout, stderr]) stream?.destroy();
      if (patienceMs === 0) endGroup(child);
      else setTimeout(() => endGroup(child), patienceMs).unref();
    },
  };
}

/**
 * How long a lane whose input has ended may take to end what runs there: more than the grace of a command. Its shells are of the
 * launcher's group, and a signal would end them before that.
 */
const farewellMs = 5_000;

/** How long a program that was told to end may clean up behind itself. */
const graceMs = 1_000;

/** The launcher's words may stand for another process that waits for the real one: all of the group ends. */
function endGroup(child: ChildProcess): void {
  const signal = (name: NodeJS.Signals) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      child.kill(name);
    }
  };
  signal('SIGTERM');
  setTimeout(() => signal('SIGKILL'), graceMs).unref();
}
