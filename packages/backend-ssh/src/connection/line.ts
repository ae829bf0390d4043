import type { PetasosError } from '@petasos/core/backend';
import type { ClientChannel, SFTPWrapper } from 'ssh2';
import type { Dialed } from './dial.js';
import { lostError } from './errors.js';
import type { SshTarget } from './target.js';

/** The server takes no further session on this connection. */
export class SessionRefused extends Error {}

export interface PseudoTerminal {
  readonly columns: number;
  readonly rows: number;
  readonly term: string;
}

/** How long a goodbye may take before the socket is simply closed. */
const farewellMs = 500;

/** One connection that has logged in. */
export class Line {
  /** Sessions that are open or on their way. */
  reserved = 0;
  lost: PetasosError | undefined;
  readonly #dialed: Dialed;
  readonly #target: SshTarget;
  readonly #watchers = new Set<(error: PetasosError) => void>();

  constructor(dialed: Dialed, target: SshTarget) {
    this.#dialed = dialed;
    this.#target = target;
    for (const client of [dialed.client, ...dialed.passed]) {
      client.on('error', (error) => this.#gone(error));
      client.once('end', () => this.#gone(undefined));
      client.once('close', () => this.#gone(undefined));
    }
    dialed.wire.once('close', () => this.#gone(undefined));
    if (dialed.wire.destroyed || dialed.wire.readableEnded) this.#gone(undefined);
  }

  /** Calls once when the connection is lost; the function that is returned takes that back. */
  onLost(watcher: (error: PetasosError) => void): () => void {
    if (this.lost !== undefined) watcher(this.lost);
    else this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #gone(cause: unknown): void {
    this.#tell(cause);
    this.#destroy();
  }

  /** From now on nothing begins on it, and whatever waits for it is told. */
  #tell(cause: unknown): void {
    if (this.lost !== undefined) return;
    this.lost = lostError(this.#target, cause);
    for (const watcher of this.#watchers) watcher(this.lost);
    this.#watchers.clear();
  }

  exec(command: string, terminal?: PseudoTerminal): Promise<ClientChannel> {
    const pty = terminal && { cols: terminal.columns, rows: terminal.rows, term: terminal.term };
    return this.#open((done) => this.#dialed.client.exec(command, pty ? { pty } : {}, done));
  }

  sftp(): Promise<SFTPWrapper> {
    return this.#open((done) => this.#dialed.client.sftp(done));
  }

  /** A stream to a port as the server sees it. Rejects with what ssh2 says: its `reason` is RFC 4254's. */
  forward(host: string, port: number): Promise<ClientChannel> {
    return new Promise((resolve, reject) => {
      this.#call(reject, () =>
        this.#dialed.client.forwardOut('127.0.0.1', 0, host, port, (error, channel) =>
          channel ? resolve(channel) : reject(this.lost ?? error),
        ),
      );
    });
  }

  #open<T>(request: (done: (error: Error | undefined, channel: T) => void) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#call(reject, () =>
        request((error, channel) => {
          if (!error) return resolve(channel);
          // Without a reason the connection itself went away.
          const refused = (error as { reason?: unknown }).reason !== undefined;
          reject(this.lost ?? (refused ? new SessionRefused(error.message) : error));
        }),
      );
    });
  }

  #call(reject: (error: unknown) => void, action: () => void): void {
    try {
      if (this.lost !== undefined) throw this.lost;
      action();
    } catch (error) {
      this.#gone(error);
      reject(this.lost);
    }
  }

  /**
   * Asks the server for a sign of life. A request to end a forwarding that there is not has to be answered by every server, and
   * changes nothing.
   * @throws the error of a lost connection, when there is no answer in time
   */
  async ping(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error('no answer')), withinMs);
        this.#call(reject, () => this.#dialed.client.unforwardIn('127.0.0.1', 1, () => resolve()));
      });
    } catch (error) {
      this.#gone(error);
    } finally {
      clearTimeout(timer);
    }
    if (this.lost !== undefined) throw this.lost;
  }

  /** Whether the connection keeps this process alive. */
  hold(held: boolean): void {
    if (held) this.#dialed.wire.ref();
    else this.#dialed.wire.unref();
  }

  /** Says goodbye; whatever still runs on it is told that the connection is gone. */
  close(): void {
    if (this.lost !== undefined) return;
    this.#tell(undefined);
    for (const client of [this.#dialed.client, ...[...this.#dialed.passed].reverse()]) client.end();
    const timer = setTimeout(() => this.#destroy(), farewellMs);
    timer.unref();
    this.#dialed.wire.once('close', () => clearTimeout(timer));
  }

  #destroy(): void {
    this.#dialed.client.destroy();
    for (const client of this.#dialed.passed) client.destroy();
    this.#dialed.wire.destroy();
  }
}
