import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { ByteLog } from './byte-log.js';

export interface ProcessRequest {
  readonly argv: readonly [string, ...string[]];
  /** Default: the tree's workdir. */
  readonly cwd?: string | undefined;
  /** On top of the sandbox's own. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Unread bytes of a stream that make the process wait; default: it never waits. */
  readonly windowBytes?: number | undefined;
}

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One process in a sandbox, the leader of a group of its own. */
export class BoxProcess {
  readonly stdin: Writable;
  readonly stdout: ByteLog;
  readonly stderr: ByteLog;
  /** The end of the process itself. Its streams end on their own: a child that it left behind may hold them. */
  readonly exited: Promise<ProcessEnd>;
  /** When both streams have ended too. */
  readonly closed: Promise<ProcessEnd>;
  #end: ProcessEnd | undefined;
  readonly #child: ChildProcessWithoutNullStreams;

  /** `logs`: path below which the streams' bytes lie when they become many. */
  constructor(command: readonly [string, ...string[]], env: Readonly<Record<string, string>>, logs: string, windowBytes?: number) {
    const [program, ...args] = command;
    const child = spawn(program, args, { detached: true, env, stdio: 'pipe' });
    this.#child = child;
    this.stdin = child.stdin;
    // Whoever writes to a process that has stopped reading learns it from the process's end.
    this.stdin.on('error', () => {});
    this.stdout = new ByteLog(`${logs}.out`);
    this.stderr = new ByteLog(`${logs}.err`);
    void pump(child.stdout, this.stdout, windowBytes);
    void pump(child.stderr, this.stderr, windowBytes);
    this.exited = new Promise((resolve) => {
      const done = (end: ProcessEnd) => {
        this.#end ??= end;
        resolve(this.#end);
      };
      child.once('exit', (exitCode, signal) => done({ exitCode, signal }));
      child.once('error', () => done({ exitCode: null, signal: null }));
    });
    this.closed = new Promise((resolve) => {
      child.once('close', (exitCode, signal) => resolve(this.#end ?? { exitCode, signal }));
    });
  }

  /** Undefined while it runs. */
  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** Signals the whole group. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    if (this.#child.pid === undefined || this.#end !== undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** Lets go of its streams and of what they wrote. */
  dispose(): void {
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
    this.stdout.dispose();
    this.stderr.dispose();
  }
}

async function pump(source: Readable, log: ByteLog, windowBytes = Number.POSITIVE_INFINITY): Promise<void> {
  try {
    for await (const chunk of source) {
      log.append(chunk as Buffer);
      if (windowBytes !== Number.POSITIVE_INFINITY) await log.room(windowBytes);
    }
  } catch {
    // The stream was let go of.
  }
  log.end();
}
