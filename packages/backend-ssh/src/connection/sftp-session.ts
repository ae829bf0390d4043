import type { SFTPWrapper } from 'ssh2';
import type { Line } from './line.js';

/** Status codes of the protocol (draft-ietf-secsh-filexfer-02). */
export const sftpStatus = { endOfFile: 1, noSuchFile: 2, permissionDenied: 3, failure: 4 } as const;

/** How long an answer may take before the connection itself is asked, and how long that may take. */
const silenceMs = 1_500;

/** The SFTP subsystem on one connection. Requests may overlap; each rejects when the connection is lost. */
export class SftpSession {
  over = false;
  #pending = 0;
  #answeredAt = 0;
  #watch: NodeJS.Timeout | undefined;
  readonly #sftp: SFTPWrapper;
  readonly #line: Line;

  constructor(sftp: SFTPWrapper, line: Line, onClosed: () => void) {
    this.#sftp = sftp;
    this.#line = line;
    sftp.on('error', () => {});
    const end = () => {
      this.over = true;
      onClosed();
    };
    sftp.once('close', end);
    line.onLost(end);
  }

  /** One request. Rejects with what ssh2 says: its `code` is one of {@link sftpStatus}. */
  call<T>(request: (sftp: SFTPWrapper, done: (error: Error | null | undefined, value: T) => void) => void): Promise<T> {
    this.#begin();
    return new Promise<T>((resolve, reject) => {
      const forget = this.#line.onLost(reject);
      request(this.#sftp, (error, value) => {
        forget();
        if (error) reject(this.#line.lost ?? error);
        else resolve(value);
      });
    }).finally(() => this.#end());
  }

  #begin(): void {
    this.#pending += 1;
    this.#watch ??= setInterval(() => {
      // A line that says nothing any more is asked, and ends when it does not answer.
      if (performance.now() - this.#answeredAt >= silenceMs) this.#line.ping(silenceMs).catch(() => {});
    }, silenceMs);
    if (this.#pending === 1) this.#answeredAt = performance.now();
  }

  #end(): void {
    this.#pending -= 1;
    this.#answeredAt = performance.now();
    if (this.#pending > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  close(): void {
    this.over = true;
    this.#sftp.end();
  }
}
