import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import type { ByteLog } from '../core/byte-log.js';
import type { BoxProcess } from '../core/process.js';
import { code, GrpcProblem } from './wire/status.js';

/** How something ended, as the wire tells it: a status or the number of a signal. */
export type ExecEnd = { readonly code: number } | { readonly signal: number };

/** What a client started in a sandbox: a process, or the service's own file tool. */
export interface ExecTarget {
  readonly stdin: Writable;
  readonly stdout: ByteLog;
  readonly stderr: ByteLog;
  readonly exited: Promise<ExecEnd>;
  kill(): void;
}

export function processTarget(process: BoxProcess): ExecTarget {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    exited: process.exited.then(({ exitCode, signal }) =>
      signal === null ? { code: exitCode ?? 127 } : { signal: constants.signals[signal] },
    ),
    kill: () => process.kill(),
  };
}

/** One exec with what the wire needs of it: offsets of its input, and its end for whoever asks. */
export class Exec {
  readonly target: ExecTarget;
  end: ExecEnd | undefined;
  /** Bytes of input that have been taken. */
  written = 0;
  closed = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(target: ExecTarget) {
    this.target = target;
    void target.exited.then((end) => {
      this.end = end;
    });
  }

  /** Takes what of `data` has not been taken before, so that a repeated call adds nothing. */
  write(offset: number, data: Uint8Array, eof: boolean): Promise<void> {
    const taken = this.#turn.then(() => this.#take(offset, data, eof));
    this.#turn = taken.catch(() => {});
    return taken;
  }

  async #take(offset: number, data: Uint8Array, eof: boolean): Promise<void> {
    const fresh = data.subarray(Math.max(0, this.written - offset));
    if (offset > this.written) throw new GrpcProblem(code.invalidArgument, `offset ${offset} is beyond the ${this.written} bytes written`);
    if (fresh.byteLength > 0) {
      if (this.closed) throw new GrpcProblem(code.failedPrecondition, 'stdin is closed');
      if (this.end !== undefined) throw new GrpcProblem(code.failedPrecondition, 'the process has ended');
      this.written += fresh.byteLength;
      if (!this.target.stdin.write(fresh)) await this.#drained();
    }
    if (!eof || this.closed) return;
    this.closed = true;
    this.target.stdin.end();
  }

  #drained(): Promise<void> {
    const { stdin, exited } = this.target;
    return new Promise((resolve) => {
      const done = () => {
        for (const event of ['drain', 'close', 'error']) stdin.off(event, done);
        resolve();
      };
      for (const event of ['drain', 'close', 'error']) stdin.once(event, done);
      void exited.then(done);
    });
  }
}
