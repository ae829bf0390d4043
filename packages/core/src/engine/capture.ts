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
/** How far the disk may be behind the command, in bytes. */
const spillLag = 256 * 1024;

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

/** Bytes of a stream up to a limit: one buffer, since a command may write a million lines in as many pieces. */
class GrowingBytes {
  readonly limit: number;
  length = 0;
  #bytes = Buffer.alloc(0);

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Takes what fits. @returns the rest */
  take(chunk: Buffer): Buffer {
    const taken = Math.min(chunk.length, this.limit - this.length);
    const needed = this.length + taken;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(this.limit, Math.max(needed, 2 * this.#bytes.length)));
      this.#bytes.copy(grown, 0, 0, this.length);
      this.#bytes = grown;
    }
    chunk.copy(this.#bytes, this.length, 0, taken);
    this.length = needed;
    return chunk.subarray(taken);
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }
}

/**
 * Keeps head and tail of a stream in bounded memory, and every byte in a private file once something had to be cut.
 */
export class Capture {
  readonly #spillDirectory: () => Promise<string>;
  readonly #name: string;
  readonly #head: GrowingBytes;
  /** Everything after the head while it fits; then a ring. */
  readonly #tail: GrowingBytes;
  /** Where the ring's oldest byte is. */
  #oldest = 0;
  #total = 0;
  #spill: Spill | undefined;

  /** `limit` in bytes; `name` is the spill file's name, such as `stdout`. */
  constructor(limit: number, name: string, spillDirectory: () => Promise<string>) {
    const headLimit = Math.floor(limit * headShare);
    this.#head = new GrowingBytes(headLimit);
    this.#tail = new GrowingBytes(limit - headLimit);
    this.#name = name;
    this.#spillDirectory = spillDirectory;
  }

  get totalBytes(): number {
    return this.#total;
  }

  /** A promise means: wait for it before the next chunk, the disk is slower than the command. */
  push(chunk: Buffer): Promise<void> | undefined {
    this.#total += chunk.length;
    if (this.#spill) {
      this.#overwrite(chunk);
      return this.#spill.write(chunk);
    }
    const rest = this.#tail.take(this.#head.take(chunk));
    if (rest.length === 0) return undefined;
    this.#spill = new Spill(this.#name, this.#spillDirectory);
    // The ring's bytes are about to be written over.
    void this.#spill.write(Buffer.concat([this.#head.bytes(), this.#tail.bytes()]));
    this.#overwrite(rest);
    return this.#spill.write(rest);
  }

  #overwrite(chunk: Buffer): void {
    const ring = this.#tail.bytes();
    if (ring.length === 0) return;
    const part = chunk.subarray(Math.max(0, chunk.length - ring.length));
    const first = Math.min(part.length, ring.length - this.#oldest);
    part.copy(ring, this.#oldest, 0, first);
    part.copy(ring, 0, first);
    this.#oldest = (this.#oldest + part.length) % ring.length;
  }

  async finish(): Promise<Captured> {
    await this.#spill?.close();
    const head = this.#head.bytes();
    const ring = this.#tail.bytes();
    const tail = this.#oldest === 0 ? ring : Buffer.concat([ring.subarray(this.#oldest), ring.subarray(0, this.#oldest)]);
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

/** More pieces than this are small, and cheaper to copy together than to hand over one by one. */
const fewPieces = 64;

async function writeWhole(file: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  let written = 0;
  if (chunks.length <= fewPieces) {
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    written = (await file.writev(chunks)).bytesWritten;
    if (written === bytes) return;
  }
  await file.writeFile(Buffer.concat(chunks).subarray(written));
}

/** A file with every byte of a stream, readable by its owner alone. */
class Spill {
  path: string | undefined;
  error: string | undefined;
  #file: FileHandle | undefined;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** The writing of all that waits; nothing while nothing does. */
  #writing: Promise<void> | undefined;

  constructor(name: string, directory: () => Promise<string>) {
    this.#writing = this.#open(name, directory)
      .then(() => this.#writeAll())
      .catch((error: unknown) => this.#fail(error));
  }

  async #open(name: string, directory: () => Promise<string>): Promise<void> {
    const file = path.join(await directory(), `petasos-${name}-${randomBytes(6).toString('hex')}`);
    this.#file = await open(file, 'wx', 0o600);
    this.path = file;
  }

  /** A promise means that the disk has fallen behind. */
  write(chunk: Buffer): Promise<void> | undefined {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#writing ??= this.#writeAll().catch((error: unknown) => this.#fail(error));
    return this.#waitingBytes > spillLag ? this.#writing : undefined;
  }

  /** What has come in the meantime is written at once: a command's lines are many and a write each would be slower than the command. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const chunks = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      if (this.#file) await writeWhole(this.#file, chunks);
    }
    this.#writing = undefined;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file?.close().catch((error: unknown) => this.#fail(error));
    this.#file = undefined;
  }

  /** The command goes on; its result says that the file is not whole. */
  #fail(error: unknown): void {
    this.error ??= error instanceof Error ? error.message : String(error);
    this.#file?.close().catch(() => {});
    this.#file = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#writing = undefined;
  }
}
