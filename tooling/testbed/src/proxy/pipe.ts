import type { Socket } from 'node:net';
import type { Faults } from './faults.js';

const maxQueuedBytes = 4 * 1024 * 1024;

interface Queued {
  /** Undefined: the end of the stream. */
  readonly chunk: Buffer | undefined;
  readonly arrivedAt: number;
}

/** One direction of one connection: hands on what `from` sends, in order, as late and as little as the faults say. */
export class Pipe {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #faults: Faults;
  readonly #queue: Queued[] = [];
  #queuedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #blocked = false;

  constructor(from: Socket, to: Socket, faults: Faults) {
    this.#from = from;
    this.#to = to;
    this.#faults = faults;
    from.on('data', (chunk: Buffer) => this.#add(chunk));
    from.once('end', () => this.#add(undefined));
    to.on('drain', () => {
      this.#blocked = false;
      this.pump();
    });
  }

  /** Looks again at what waits; called whenever a fault begins or ends. */
  readonly pump = (): void => {
    clearTimeout(this.#timer);
    while (!this.#blocked && !this.#faults.stalled && !this.#to.destroyed) {
      const next = this.#queue[0];
      if (next === undefined) break;
      const waitMs = next.arrivedAt + this.#faults.delayMs - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(this.pump, waitMs);
        break;
      }
      this.#queue.shift();
      this.#hand(next.chunk);
    }
    if (this.#queuedBytes < maxQueuedBytes) this.#from.resume();
  };

  stop(): void {
    clearTimeout(this.#timer);
  }

  #add(chunk: Buffer | undefined): void {
    this.#queue.push({ chunk, arrivedAt: performance.now() });
    this.#queuedBytes += chunk?.length ?? 0;
    if (this.#queuedBytes >= maxQueuedBytes) this.#from.pause();
    this.pump();
  }

  #hand(chunk: Buffer | undefined): void {
    if (chunk === undefined) {
      this.#to.end();
      return;
    }
    this.#queuedBytes -= chunk.length;
    const allowed = this.#faults.take(chunk.length);
    if (!this.#to.writableEnded) this.#blocked = !this.#to.write(chunk.subarray(0, allowed));
    if (allowed < chunk.length) this.#faults.exhausted();
  }
}
