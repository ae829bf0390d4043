import { type ChildProcess, spawn } from 'node:child_process';
import type { DriverExit, DriverProcess, HostInfo } from '@petasos/core/backend';
import { failure } from '../errors.js';
import { machineEnvironment } from './environment.js';
import type { Machine, Ran, RunOptions } from './machine.js';

/** This machine. */
export function localMachine(hostEnv: HostInfo['env']): Machine {
  const env = machineEnvironment(hostEnv);
  return {
    title: 'this machine',
    run: (argv, options = {}) => run(argv, env, options),
    spawn: (argv, stdin) => start(argv, env, stdin),
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

async function start(argv: readonly string[], env: Record<string, string>, stdin: boolean): Promise<DriverProcess> {
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
      endGroup(child);
      for (const stream of [input, stdout, stderr]) stream?.destroy();
    },
  };
}

async function run(argv: readonly string[], env: Record<string, string>, options: RunOptions): Promise<Ran> {
  const child = await launch(argv, env, options.input !== undefined);
  const outputs: { out: Buffer[]; err: Buffer[] } = { out: [], err: [] };
  let ended = false;
  const end = () => {
    ended = true;
    endGroup(child);
  };
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(end, options.timeoutMs);
  if (options.signal?.aborted) end();
  options.signal?.addEventListener('abort', end, { once: true });
  child.stdout?.on('data', (chunk: Buffer) => outputs.out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => {
    outputs.err.push(chunk);
    if (options.onLine) for (const line of chunk.toString('utf8').split('\n')) if (line.trim() !== '') options.onLine(line.trim());
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.input);
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  options.signal?.removeEventListener('abort', end);
  return {
    exitCode: ended ? null : exitCode,
    stdout: Buffer.concat(outputs.out).toString('utf8'),
    stderr: Buffer.concat(outputs.err).toString('utf8'),
  };
}

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
