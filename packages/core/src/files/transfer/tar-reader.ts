import type { ByteSource } from './byte-source.js';
import { blockSize, paddingAfter } from './tar-header.js';

/** An entry as the archive has it: nothing about it is trusted. Names are bytes, held as Latin-1. */
export interface TarEntry {
  /** `file`, `directory`, `symlink`, `link`, or what else the archive holds, in words. */
  readonly kind: string;
  readonly name: string;
  readonly target: string;
  readonly mode: number;
  /** Bytes of content that follow. */
  readonly size: number;
  /** Seconds since 1970. */
  readonly modifiedAt: number;
}

/** The bytes are no archive. */
export class NoArchive extends Error {
  override readonly name = 'NoArchive';
}

const kinds: Readonly<Record<string, string>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'symlink',
  '3': 'character device',
  '4': 'block device',
  '5': 'directory',
  '6': 'pipe',
  S: 'sparse file',
};

/** The most that a record about one entry may take: names and extended attributes. */
const longestRecord = 1024 * 1024;
/** The most that may follow the end of the archive: writers fill up to a multiple of their record. */
const longestFill = 1024 * 1024;

/** What the records before a header say in the place of its fields. */
interface Overrides {
  name?: string;
  target?: string;
  size?: number;
  modifiedAt?: number;
  sparse?: boolean;
}

/** Reads ustar, GNU and pax archives, the kinds that the tars of the world write. */
export class TarReader {
  #left = 0;
  #padding = 0;

  constructor(private readonly source: ByteSource) {}

  /** The next entry, after passing over what is left of the one before; undefined at the end of the archive. */
  async next(): Promise<TarEntry | undefined> {
    await this.source.skip(this.#left + this.#padding);
    this.#left = this.#padding = 0;
    const overrides: Overrides = {};
    while (true) {
      const block = await this.source.exactly(blockSize);
      if (!checked(block)) {
        if (!(await this.source.drain(longestFill))) throw new NoArchive('it goes on after its end');
        return undefined;
      }
      const flag = String.fromCharCode(block[156] as number);
      const size = number(block, 124, 12);
      if ('xgLK'.includes(flag)) {
        if (!(size >= 0 && size <= longestRecord)) throw new NoArchive(`a record of ${size} bytes stands before an entry`);
        const record = await this.source.exactly(size);
        if (flag === 'L') overrides.name = text(record, 0, size);
        else if (flag === 'K') overrides.target = text(record, 0, size);
        else if (flag === 'x') readPax(record, overrides);
        await this.source.skip(paddingAfter(size));
        continue;
      }
      return this.#entry(block, flag, overrides.size ?? size, overrides);
    }
  }

  /** The content of the entry, whole. */
  async content(): Promise<Buffer> {
    const bytes = await this.source.exactly(this.#left);
    this.#left = 0;
    return bytes;
  }

  /** The content of the entry in pieces. */
  async *pieces(): AsyncGenerator<Buffer> {
    while (this.#left > 0) {
      const piece = await this.source.some(this.#left);
      this.#left -= piece.length;
      yield piece;
    }
  }

  #entry(block: Buffer, flag: string, size: number, overrides: Overrides): TarEntry {
    const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? text(block, 345, 155) : '';
    const plain = text(block, 0, 100);
    const name = overrides.name ?? (prefix === '' ? plain : `${prefix}/${plain}`);
    const kind = flag === '\0' && name.endsWith('/') ? 'directory' : overrides.sparse === true ? 'sparse file' : kinds[flag];
    const valid = Number.isSafeInteger(size) && size >= 0;
    // Only a file has content, whatever a link's size field says; an impossible size is for the caller to refuse.
    this.#left = valid && kind !== 'link' && kind !== 'symlink' && kind !== 'directory' ? size : 0;
    this.#padding = paddingAfter(this.#left);
    return {
      kind: kind ?? `entry of type ${JSON.stringify(flag)}`,
      name,
      target: overrides.target ?? text(block, 157, 100),
      mode: number(block, 100, 8),
      size,
      modifiedAt: overrides.modifiedAt ?? number(block, 136, 12),
    };
  }
}

/** True for a header whose sum is right, false for a block of zeros. */
function checked(block: Buffer): boolean {
  let sum = 8 * 0x20;
  for (let at = 0; at < blockSize; at += 1) if (at < 148 || at > 155) sum += block[at] as number;
  if (sum === 8 * 0x20 && block[148] === 0) return false;
  if (sum !== number(block, 148, 8)) throw new NoArchive('a header has a wrong sum');
  return true;
}

/** Bytes up to the first NUL. */
function text(block: Buffer, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return block.toString('latin1', at, end === -1 || end > at + length ? at + length : end);
}

/** Octal digits, or base 256 where the first bit is set. NaN when it is neither. */
function number(block: Buffer, at: number, length: number): number {
  const first = block[at] as number;
  if (first < 0x80) {
    const digits = text(block, at, length).trim();
    if (digits === '') return 0;
    return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
  }
  let value = first === 0xff ? -1 : first & 0x7f;
  for (let index = at + 1; index < at + length; index += 1) value = value * 256 + (block[index] as number);
  return value;
}

/** Records of the form `length key=value` and newline, where the length counts the whole record. */
function readPax(record: Buffer, overrides: Overrides): void {
  for (let at = 0; at < record.length; ) {
    const space = record.indexOf(0x20, at);
    const length = space === -1 ? Number.NaN : Number(record.toString('latin1', at, space));
    const equals = record.indexOf(0x3d, space);
    if (!Number.isSafeInteger(length) || length <= space - at || at + length > record.length || equals === -1 || equals >= at + length) {
      throw new NoArchive('a record before an entry is damaged');
    }
    const key = record.toString('latin1', space + 1, equals);
    const value = record.toString('latin1', equals + 1, at + length - 1);
    if (key === 'path') overrides.name = value;
    else if (key === 'linkpath') overrides.target = value;
    else if (key === 'size') overrides.size = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    else if (key === 'mtime') overrides.modifiedAt = Number(value);
    else if (key.startsWith('GNU.sparse.')) overrides.sparse = true;
    at += length;
  }
}
