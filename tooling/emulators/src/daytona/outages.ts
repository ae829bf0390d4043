import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

interface Trouble {
  readonly kind: 'outage' | 'freeze';
  readonly over: Promise<void>;
  end(): void;
}

/** The way to one sandbox, spoilt: an outage cuts every connection and refuses new ones; a freeze answers nothing until it is mended. */
export class Outages {
  readonly #troubles = new Map<string, Trouble>();
  /** Connections are kept and carry requests to one sandbox after another. */
  readonly #uses = new Map<Duplex, Set<string>>();

  begin(id: string): void {
    this.#set(id, 'outage');
    for (const [socket, used] of this.#uses) if (used.has(id)) socket.destroy();
  }

  freeze(id: string): void {
    this.#set(id, 'freeze');
  }

  mend(id: string): void {
    this.#troubles.get(id)?.end();
    this.#troubles.delete(id);
  }

  watch(id: string, socket: Duplex): void {
    const used = this.#uses.get(socket);
    if (used) used.add(id);
    else {
      this.#uses.set(socket, new Set([id]));
      socket.once('close', () => this.#uses.delete(socket));
    }
    if (this.#troubles.get(id)?.kind === 'outage') socket.destroy();
  }

  /** @returns whether the request has been dealt with; waits while the sandbox is frozen. */
  async hold(id: string, request: IncomingMessage): Promise<boolean> {
    this.watch(id, request.socket);
    const trouble = this.#troubles.get(id);
    if (trouble?.kind === 'outage') return true;
    await trouble?.over;
    return false;
  }

  #set(id: string, kind: Trouble['kind']): void {
    this.mend(id);
    let end: () => void = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#troubles.set(id, { kind, over, end });
  }
}
