import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';

const memoryBytes = 256 * 1024;

/**
 * Bytes in the order of their writing, for any number of readers, each from any offset. Long ones lie in a file, so that a command with
 * endless output does not fill the emulator.
 */
export class ByteLog {
  readonly #path: string;
  #memory: Buffer[] = [];
  #file: number | undefined;
  #length = 0;
  #furthest = 0;
  #ended = false;
  #waiting: (() => void)[] = [];

  /** `path`: where the bytes go when they become many. */
  constructor(path: string) {
    this.#path = path;
  }

  get length(): number {
    return this.#length;
  }

  /** Nothing will be appended any more. */
  get ended(): boolean {
    return this.#ended;
  }

  append(chunk: Uint8Array): void {
    if (this.#ended || chunk.byteLength === 0) return;
    if (this.#file === undefined && this.#length + chunk.byteLength > memoryBytes) {
      this.#file = openSync(this.#path, 'w+', 0o600);
      for (const part of this.#memory) writeSync(this.#file, part);
      this.#memory = [];
    }
    if (this.#file === undefined) this.#memory.push(Buffer.from(chunk));
    else writeSync(this.#file, chunk, 0, chunk.byteLength, this.#length);
    this.#length += chunk.byteLength;
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** At most `max` bytes from `from`; empty where nothing is yet. */
  read(from: number, max = 64 * 1024): Buffer {
    const size = Math.max(0, Math.min(max, this.#length - from));
    this.#furthest = Math.max(this.#furthest, from + size);
    if (size === 0) return Buffer.alloc(0);
    this.#wake();
    if (this.#file === undefined) return Buffer.concat(this.#memory).subarray(from, from + size);
    const bytes = Buffer.alloc(size);
    return bytes.subarray(0, readSync(this.#file, bytes, 0, size, from));
  }

  /** Resolves when there is something beyond `from`, or the log has ended, or `signal` fires. */
  async beyond(from: number, signal?: AbortSignal): Promise<void> {
    while (this.#length <= from && !this.#ended && !signal?.aborted) await this.#change(signal);
  }

  /** Resolves when no more than `window` bytes have not been read by anybody: what a writer waits for. */
  async room(window: number): Promise<void> {
    while (this.#length - this.#furthest > window && !this.#ended) await this.#change();
  }

  /** The bytes from `from` to the end, as they come. */
  async *follow(from = 0, options: { readonly chunkBytes?: number; readonly signal?: AbortSignal } = {}): AsyncGenerator<Buffer> {
    let at = from;
    while (!options.signal?.aborted) {
      await this.beyond(at, options.signal);
      const chunk = this.read(at, options.chunkBytes);
      if (chunk.length === 0) return;
      at += chunk.length;
      yield chunk;
    }
  }

  /** Lets go of the file. Whoever still reads finds the end. */
  dispose(): void {
    this.#ended = true;
    this.#length = 0;
    this.#memory = [];
    if (this.#file !== undefined) {
      closeSync(this.#file);
      rmSync(this.#path, { force: true });
    }
    this.#file = undefined;
    this.#wake();
  }

  #change(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal?.removeEventListener('abort', done);
        resolve();
      };
      signal?.addEventListener('abort', done, { once: true });
      this.#waiting.push(done);
    });
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
