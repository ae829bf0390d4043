import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** One captured stream of a command. */
export interface Captured {
  readonly bytes: Uint8Array;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly totalBytes: number;
  readonly cutBytes: number;
  readonly spillPath: string | undefined;
  /** Why the spill file could not be written whole. */
  readonly spillError: string | undefined;
}

const headShare = 0.4;

/** One private directory for the spill files of a sandbox handle, made when the first is needed. */
export class SpillDirectory {
  #path: Promise<string> | undefined;

  path(): Promise<string> {
    this.#path ??= mkdtemp(path.join(tmpdir(), 'petasos-spill-'));
    return this.#path;
  }

  /** Removes the directory unless a reader still has files in it: a result may outlive its sandbox. */
  async close(): Promise<void> {
    const made = await this.#path?.catch(() => undefined);
    if (made) await rmdir(made).catch(() => {});
  }
}

/**
 * Keeps head and tail of a stream in bounded memory, and every byte in a private file once something had to be cut.
 */
export class Capture {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #spillDirectory: () => Promise<string>;
  readonly #name: string;
  #head: Buffer[] = [];
  #headBytes = 0;
  /** Everything after the head while it fits; then a ring. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  #ring: Buffer | undefined;
  #ringEnd = 0;
  #total = 0;
  #spill: Spill | undefined;

  /** `limit` in bytes; `name` is the spill file's name, such as `stdout`. */
  constructor(limit: number, name: string, spillDirectory: () => Promise<string>) {
    this.#headLimit = Math.floor(limit * headShare);
    this.#tailLimit = limit - this.#headLimit;
    this.#name = name;
    this.#spillDirectory = spillDirectory;
  }

  get totalBytes(): number {
    return this.#total;
  }

  /** A promise means: wait for it before the next chunk, the disk is slower than the command. */
  push(chunk: Buffer): Promise<void> | undefined {
    this.#total += chunk.length;
    let rest = chunk;
    if (this.#headBytes < this.#headLimit) {
      const taken = chunk.subarray(0, this.#headLimit - this.#headBytes);
      this.#head.push(taken);
      this.#headBytes += taken.length;
      rest = chunk.subarray(taken.length);
    }
    if (!this.#ring && this.#restBytes + rest.length <= this.#tailLimit) {
      if (rest.length > 0) {
        this.#rest.push(rest);
        this.#restBytes += rest.length;
      }
      return undefined;
    }
    const overflow = !this.#spill;
    this.#spill ??= new Spill(this.#name, this.#spillDirectory);
    const before = overflow ? [...this.#head, ...this.#rest, rest] : [chunk];
    this.#intoRing(rest);
    return this.#spill.write(before);
  }

  #intoRing(chunk: Buffer): void {
    if (!this.#ring) {
      this.#ring = Buffer.alloc(this.#tailLimit);
      for (const part of this.#rest) this.#copy(part);
      this.#rest = [];
    }
    this.#copy(chunk.subarray(Math.max(0, chunk.length - this.#tailLimit)));
  }

  #copy(part: Buffer): void {
    const ring = this.#ring;
    if (!ring || ring.length === 0) return;
    const first = Math.min(part.length, ring.length - this.#ringEnd);
    part.copy(ring, this.#ringEnd, 0, first);
    part.copy(ring, 0, first);
    this.#ringEnd = (this.#ringEnd + part.length) % ring.length;
  }

  async finish(): Promise<Captured> {
    const head = Buffer.concat(this.#head);
    const ring = this.#ring;
    const tail = ring ? Buffer.concat([ring.subarray(this.#ringEnd), ring.subarray(0, this.#ringEnd)]) : Buffer.concat(this.#rest);
    await this.#spill?.close();
    const bytes = tail.length === 0 ? head : head.length === 0 ? tail : Buffer.concat([head, tail]);
    return {
      bytes,
      head,
      tail,
      totalBytes: this.#total,
      cutBytes: this.#total - head.length - tail.length,
      spillPath: this.#spill?.path,
      spillError: this.#spill?.error,
    };
  }
}

/** A file with every byte of a stream, readable by its owner alone. */
class Spill {
  path: string | undefined;
  error: string | undefined;
  #file: FileHandle | undefined;
  #queue: Promise<void>;

  constructor(name: string, directory: () => Promise<string>) {
    this.#queue = this.#open(name, directory).catch((error: unknown) => this.#fail(error));
  }

  async #open(name: string, directory: () => Promise<string>): Promise<void> {
    const file = path.join(await directory(), `petasos-${name}-${randomBytes(6).toString('hex')}`);
    this.#file = await open(file, 'wx', 0o600);
    this.path = file;
  }

  write(chunks: readonly Buffer[]): Promise<void> {
    this.#queue = this.#queue
      .then(async () => {
        if (!this.#file) return;
        for (const chunk of chunks) await this.#file.writeFile(chunk);
      })
      .catch((error: unknown) => this.#fail(error));
    return this.#queue;
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#file?.close().catch((error: unknown) => this.#fail(error));
    this.#file = undefined;
  }

  /** The command goes on; its result says that the file is not whole. */
  #fail(error: unknown): void {
    this.error ??= error instanceof Error ? error.message : String(error);
    this.#file?.close().catch(() => {});
    this.#file = undefined;
  }
}
