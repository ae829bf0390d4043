/** What comes out of a stream that carries a command's bytes and the engine's reports. */
export interface FrameEvents {
  data(chunk: Buffer): void;
  frame(nonce: string, payload: string): void;
}

const separator = 0x1e;
const nonceLength = 32;
const isHexadecimal = (byte: number) => (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66);

/**
 * Splits a stream into a command's bytes and reports: a record separator, a nonce of 32 hexadecimal digits that was
 * expected, a space, the payload, a record separator. Everything else is data, whatever it looks like: a report cannot be
 * forged without its nonce.
 */
export class FrameScanner {
  readonly #expected = new Set<string>();
  readonly #events: FrameEvents;
  #held: Buffer = Buffer.alloc(0);

  constructor(events: FrameEvents) {
    this.#events = events;
  }

  expect(nonce: string): void {
    this.#expected.add(nonce);
  }

  forget(nonce: string): void {
    this.#expected.delete(nonce);
  }

  push(chunk: Buffer): void {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    let start = 0;
    let at = bytes.indexOf(separator);
    while (at !== -1) {
      const match = this.#match(bytes, at);
      if (match === 'no') {
        at = bytes.indexOf(separator, at + 1);
        continue;
      }
      if (at > start) this.#events.data(bytes.subarray(start, at));
      if (match === 'incomplete') {
        this.#held = Buffer.from(bytes.subarray(at));
        return;
      }
      start = match.end;
      this.#events.frame(match.nonce, match.payload);
      at = bytes.indexOf(separator, start);
    }
    if (start < bytes.length) this.#events.data(start === 0 ? bytes : bytes.subarray(start));
  }

  /** The stream is over: what was held back is data after all. */
  end(): void {
    if (this.#held.length > 0) this.#events.data(this.#held);
    this.#held = Buffer.alloc(0);
  }

  #match(bytes: Buffer, at: number): { nonce: string; payload: string; end: number } | 'no' | 'incomplete' {
    // Of binary output every 256th byte is a separator, and a word for each would be more than the output itself.
    const first = bytes[at + 1];
    if (first !== undefined && !isHexadecimal(first)) return 'no';
    const nonce = bytes.toString('latin1', at + 1, Math.min(at + 1 + nonceLength, bytes.length));
    if (nonce.length < nonceLength) {
      for (const expected of this.#expected) if (expected.startsWith(nonce)) return 'incomplete';
      return 'no';
    }
    if (!this.#expected.has(nonce)) return 'no';
    const end = bytes.indexOf(separator, at + 1 + nonceLength);
    if (end === -1) return 'incomplete';
    return { nonce, payload: bytes.toString('utf8', at + 2 + nonceLength, end), end: end + 1 };
  }
}
