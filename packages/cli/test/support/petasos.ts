import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { writeText } from './packages.js';

export interface Ran {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The CLI of another installation. */
  readonly main?: string;
  /** Absent: stdin is the null device. */
  readonly input?: string | Uint8Array;
}

export interface Person {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** A directory to run in. */
  readonly work: string;
  /** Runs `petasos` to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Starts `petasos` with pipes. */
  start(args: readonly string[], options?: Omit<RunOptions, 'input'>): ChildProcess;
}

/** What the command `petasos` leads to. */
export const mainModule = (modules: string = inject('installation')) => join(modules, '@petasos/cli/bin/petasos.cjs');

/**
 * Somebody with a home directory of their own. What they leave running ends with the test. With `asked` off, no command is
 * put to them: for tests of what commands do and not of whether they may.
 */
export async function person({ asked = true }: { readonly asked?: boolean } = {}): Promise<Person> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'petasos-home-')));
  const work = join(home, 'work');
  await mkdir(work);
  if (!asked) await writeText(join(home, '.config/petasos/config.yaml'), 'approvals:\n  mode: off\n');
  const env = { HOME: home, PATH: process.env.PATH ?? '/usr/bin:/bin', LANG: 'C.UTF-8', TMPDIR: home };
  const start: Person['start'] = (args, options = {}) =>
    spawn(process.execPath, [mainModule(), ...args], {
      cwd: options.cwd ?? work,
      env: { ...env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  const run: Person['run'] = (args, options = {}) => {
    const child = spawn(process.execPath, [options.main ?? mainModule(), ...args], {
      cwd: options.cwd ?? work,
      env: { ...env, ...options.env },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input);
    return outcome(child);
  };
  onTestFinished(async () => {
    // A configuration that a test broke must not keep its sandboxes alive.
    await rm(join(home, '.config'), { recursive: true, force: true });
    const { stdout } = await run(['ls', '--json']);
    const { sandboxes } = JSON.parse(stdout) as { sandboxes: { id: string }[] };
    if (sandboxes.length > 0) await run(['rm', ...sandboxes.map(({ id }) => id)]);
    await rm(home, { recursive: true, force: true });
  });
  return { home, work, env, run, start };
}

/** How a started `petasos` ended, and all it wrote. */
export async function outcome(child: ChildProcess): Promise<Ran> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  await once(child, 'close');
  const bytes = Buffer.concat(stdout);
  return { status: child.exitCode, signal: child.signalCode, bytes, stdout: bytes.toString(), stderr: Buffer.concat(stderr).toString() };
}

/** Resolves with everything that stdout has carried once it contains `text`. */
export async function sees(child: ChildProcess, text: string, withinMs = 20_000): Promise<string> {
  let seen = '';
  const stream = child.stdout;
  if (stream === null) throw new Error('stdout is not a pipe');
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`waited for ${JSON.stringify(text)}, saw ${JSON.stringify(seen)}`)), withinMs);
    stream.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      if (!seen.includes(text)) return;
      clearTimeout(timer);
      resolve(seen);
    });
  });
}

export const marker = () => `petasos-marker-${randomBytes(8).toString('hex')}`;

/** Processes of this machine with the marker in their arguments or environment, Petasos itself aside. */
export async function survivors(mark: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [args, environment] = await Promise.all(
        ['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')),
      );
      return `${args}${environment}`.includes(mark) && !args?.includes('@petasos/cli/bin/petasos.cjs') ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

/** Polls until `probe` gives a truthy answer. */
export async function eventually<T>(what: string, probe: () => Promise<T | undefined | false>, withinMs = 10_000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await probe();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`never came true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Fails unless nothing carries the marker within ten seconds. */
export async function nothingLeft(mark: string): Promise<void> {
  await eventually(`nothing carries ${mark}`, async () => (await survivors(mark)).length === 0);
}
