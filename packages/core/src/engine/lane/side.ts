import { Readable } from 'node:stream';
import { FrameScanner } from '../frames.js';

export interface SideEvents {
  frame(nonce: string, payload: string): void;
  /** The stream is over. */
  end(): void;
}

/**
 * One of the two streams of a lane: hands the bytes between reports to the command that is running, with backpressure, and
 * drops what comes when none is.
 */
export class LaneSide {
  readonly scanner: FrameScanner;
  readonly #source: Readable;
  #sink: Readable | undefined;
  #touchedAt = 0;
  #restingSince: number | undefined;
  #unheld = false;

  constructor(source: Readable, events: SideEvents) {
    this.#source = source;
    this.scanner = new FrameScanner({
      data: (chunk) => {
        if (this.#sink && !this.#sink.destroyed && !this.#sink.push(chunk)) this.#rest();
      },
      frame: events.frame,
    });
    source.on('data', (chunk: Buffer) => {
      this.#touchedAt = performance.now();
      this.scanner.push(chunk);
    });
    let ended = false;
    const finish = () => {
      if (ended) return;
      ended = true;
      this.scanner.end();
      events.end();
    };
    source.on('end', finish);
    source.on('close', finish);
    source.on('error', finish);
  }

  /** Milliseconds since the last byte; zero while the consumer holds the stream back. */
  quietMs(): number {
    return this.#source.isPaused() ? 0 : performance.now() - this.#touchedAt;
  }

  /** Milliseconds since the consumer has read anything, while something waits for it. */
  restingMs(): number {
    return this.#restingSince === undefined ? 0 : performance.now() - this.#restingSince;
  }

  /**
   * Takes in what is left of the output although nobody reads it: what the supervisor says stands behind it. For a command that is dead,
   * so that not much can be left.
   */
  unhold(): void {
    this.#unheld = true;
    this.#source.resume();
  }

  #rest(): void {
    if (this.#unheld) return;
    this.#restingSince ??= performance.now();
    this.#source.pause();
  }

  #goOn(): void {
    this.#restingSince = undefined;
    this.#source.resume();
  }

  /** Opens the stream of the next command. */
  attach(): Readable {
    const sink = new Readable({
      highWaterMark: 256 * 1024,
      read: () => {
        this.#goOn();
      },
      destroy: (error, callback) => {
        // A consumer that walks away must not hold up the command: what follows is dropped.
        this.#goOn();
        callback(error);
      },
    });
    this.#sink = sink;
    return sink;
  }

  /** The command's stream is complete. */
  detach(): void {
    this.#sink?.push(null);
    this.#sink = undefined;
    this.#unheld = false;
    this.#goOn();
  }
}

/** See {@link LaneSide.unhold}. */
export function unhold(sides: readonly LaneSide[]): void {
  for (const side of sides) side.unhold();
}
