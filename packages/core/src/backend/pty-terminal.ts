import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, write } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import type { DriverExit, DriverTerminal } from '../contract/index.js';

/** A process on a pseudo-terminal of this machine, as node-pty and its kin give it, with output as bytes (`encoding: null`). */
export interface Pty {
  readonly pid: number;
  onData(listener: (data: string | Buffer) => void): unknown;
  onExit(listener: (exit: { readonly exitCode: number; readonly signal?: number | undefined }) => void): unknown;
  write(data: string | Buffer): void;
  resize(columns: number, rows: number): void;
  pause(): void;
  resume(): void;
  kill(signal?: string): void;
}

/** How often it is asked whether the process lives: its end is to be seen before node-pty, some 200 ms after it, stops reading. */
const lookMs = 20;

/**
 * The terminal of such a process, with all that was written to it. The library by itself loses the end of it: the hang-up of the last
 * process comes before what the kernel still holds, and a reader who is slower than 200 ms is not waited for. Here the other side stays
 * open until a mark that follows the last output has come back, and once the process has ended its output is read whatever the reader
 * does: no more than the kernel holds for a terminal, some 70 KiB.
 */
export function ptyTerminal(pty: Pty): DriverTerminal {
  const output = new PassThrough();
  const tail = new Tail(pty, (bytes) => output.write(bytes));
  pty.onData((data) => {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    if (tail.take(bytes) || output.write(bytes)) return;
    pty.pause();
    output.once('drain', () => pty.resume());
  });
  const exited = new Promise<DriverExit>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      tail.end();
      output.end();
      resolve(signal ? { exitCode: null, signal: String(signal) } : { exitCode });
    });
  });
  const input = new Writable({
    write(bytes: Buffer, _encoding, callback) {
      pty.write(bytes);
      callback();
    },
  });
  return {
    input,
    output,
    exited,
    resize: (columns, rows) => pty.resize(columns, rows),
    kill: () => pty.kill('SIGKILL'),
  };
}

/** What comes after the end of the process, up to the mark. */
class Tail {
  readonly #pty: Pty;
  readonly #pass: (bytes: Buffer) => void;
  readonly #mark = Buffer.from(`\x1e${randomBytes(16).toString('hex')}\x1e`);
  readonly #timer: NodeJS.Timeout;
  #otherSide: number | undefined;
  #held: Buffer | undefined;

  constructor(pty: Pty, pass: (bytes: Buffer) => void) {
    this.#pty = pty;
    this.#pass = pass;
    this.#otherSide = openOtherSide(pty);
    this.#timer = setInterval(() => this.#look(), lookMs);
    if (this.#otherSide === undefined) clearInterval(this.#timer);
  }

  /** Keeps what is a part of the tail; false while the process lives. */
  take(bytes: Buffer): boolean {
    if (this.#held === undefined) return false;
    this.#held = Buffer.concat([this.#held, bytes]);
    const at = this.#held.indexOf(this.#mark);
    if (at !== -1) {
      this.#held = this.#held.subarray(0, at);
      this.#letGo();
    }
    return true;
  }

  /** Nothing more comes. */
  end(): void {
    this.#letGo();
    if (this.#held !== undefined && this.#held.length > 0) this.#pass(this.#held);
  }

  #look(): void {
    try {
      process.kill(this.#pty.pid, 0);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') return;
    }
    clearInterval(this.#timer);
    if (this.#otherSide === undefined) return;
    this.#held = Buffer.alloc(0);
    // Where the mark cannot be written, the library's own end is waited for.
    write(this.#otherSide, this.#mark, () => {});
    this.#pty.resume();
  }

  /** The hang-up that lets the library come to its end. */
  #letGo(): void {
    clearInterval(this.#timer);
    if (this.#otherSide !== undefined) closeSync(this.#otherSide);
    this.#otherSide = undefined;
  }
}

/** The side that the process has. It is known by name, and outlives even a process that has ended already. */
function openOtherSide(pty: Pty): number | undefined {
  const name = 'ptsName' in pty ? pty.ptsName : undefined;
  if (typeof name !== 'string') return undefined;
  try {
    return openSync(name, constants.O_RDWR | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}
