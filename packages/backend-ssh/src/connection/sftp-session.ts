import type { SFTPWrapper } from 'ssh2';
import type { Line } from './line.js';

/** Status codes of the protocol (draft-ietf-secsh-filexfer-02). */
export const sftpStatus = { endOfFile: 1, noSuchFile: 2, permissionDenied: 3, failure: 4 } as const;

/** The SFTP subsystem on one connection. Requests may overlap; each rejects when the connection is lost. */
export class SftpSession {
  over = false;
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
    return new Promise<T>((resolve, reject) => {
      const forget = this.#line.onLost(reject);
      request(this.#sftp, (error, value) => {
        forget();
        if (error) reject(this.#line.lost ?? error);
        else resolve(value);
      });
    });
  }

  close(): void {
    this.over = true;
    this.#sftp.end();
  }
}
