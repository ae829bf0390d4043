import { finished } from 'node:stream/promises';
import type { DriverProcess } from '@petasos/core/backend';

export interface RunOptions {
  /** Read by the program; without it, an immediate end of file. */
  readonly input?: string | undefined;
  /** After so many milliseconds the program is ended, and `exitCode` is null. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Each line of stderr as it comes. */
  readonly onLine?: ((line: string) => void) | undefined;
}

export interface Ran {
  /** Null when the program was ended or could not be started. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where command lines run: this machine, a login node, a node of an allocation. Words arrive as they are; no shell looks at them. */
export interface Machine {
  /** For messages. */
  readonly title: string;
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  spawn(argv: readonly string[], stdin: boolean): Promise<DriverProcess>;
  /** Lets go of the way there. */
  close(): void;
}

/** The same machine with words in front of every command line: another user's, or a step of an allocation. */
export function behind(machine: Machine, words: readonly string[]): Machine {
  if (words.length === 0) return machine;
  return {
    title: machine.title,
    run: (argv, options) => machine.run([...words, ...argv], options),
    spawn: (argv, stdin) => machine.spawn([...words, ...argv], stdin),
    close: () => machine.close(),
  };
}

/** Runs a POSIX script whose arguments are `$1`, `$2` and so on. */
export function runScript(machine: Machine, script: string, args: readonly string[], options?: RunOptions): Promise<Ran> {
  return machine.run(['/bin/sh', '-c', script, 'petasos', ...args], options);
}

/** A process to its end: what `run` makes of what `spawn` gives. */
export async function collect(process: DriverProcess, options: RunOptions): Promise<Ran> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let ended = false;
  const end = () => {
    ended = true;
    process.kill();
  };
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(end, options.timeoutMs);
  if (options.signal?.aborted) end();
  options.signal?.addEventListener('abort', end, { once: true });
  process.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  process.stderr?.on('data', (chunk: Buffer) => {
    err.push(chunk);
    if (options.onLine) for (const line of chunk.toString('utf8').split('\n')) if (line.trim() !== '') options.onLine(line.trim());
  });
  process.stdin?.on('error', () => {});
  process.stdin?.end(options.input);
  try {
    const streams = [process.stdout, process.stderr].map((stream) => stream && finished(stream).catch(() => {}));
    const { exitCode } = await process.exited.catch((error: unknown) => {
      if (ended) return { exitCode: null };
      throw error;
    });
    await Promise.all(streams);
    return {
      exitCode: ended ? null : exitCode,
      stdout: Buffer.concat(out).toString('utf8'),
      stderr: Buffer.concat(err).toString('utf8'),
    };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', end);
  }
}
