/** The stream ended where more had to come. */
export class EndedEarly extends Error {
  override readonly name = 'EndedEarly';
}

/** Reads a stream of chunks by counts of bytes. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Exactly `count` bytes. They may share memory with the chunk they came in. */
  async exactly(count: number): Promise<Buffer> {
    if (this.#chunk.length - this.#at >= count) return this.#cut(count);
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      const part = await this.some(missing);
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, count);
  }

  /** At least one byte and at most `most`. */
  async some(most: number): Promise<Buffer> {
    if (!(await this.#fill())) throw new EndedEarly('it ends too early');
    return this.#cut(Math.min(most, this.#chunk.length - this.#at));
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; ) left -= (await this.some(left)).length;
  }

  /** Reads to the end of the stream, or until more than `most` bytes have come; says whether the end was reached. */
  async drain(most: number): Promise<boolean> {
    for (let left = most; left >= 0; ) {
      if (!(await this.#fill())) return true;
      left -= this.#chunk.length - this.#at;
      this.#at = this.#chunk.length;
    }
    return false;
  }

  /** Lets go of the stream. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #fill(): Promise<boolean> {
    while (this.#at === this.#chunk.length) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      const { buffer, byteOffset, byteLength } = next.value;
      this.#chunk = Buffer.from(buffer, byteOffset, byteLength);
      this.#at = 0;
    }
    return true;
  }

  #cut(count: number): Buffer {
    const part = this.#chunk.subarray(this.#at, this.#at + count);
    this.#at += count;
    return part;
  }
}
