import fs from 'node:fs';
import { PetasosError } from '../../contract/index.js';
import { escapeForPrintf } from '../../engine/quote.js';
import { quoted, type Subject } from '../errors.js';
import type { Ignored } from './ignored.js';
import { joined, type LocalPath, localError } from './local.js';
import type { Tally } from './progress.js';
import { Slice } from './slice.js';
import { encodeHeader, paddingAfter, type TarHeader, type TarOwner } from './tar-header.js';
import { walkTree } from './walk.js';

const chunkBytes = 256 * 1024;
/** Files up to this size are read at once. */
const smallBytes = 128 * 1024;

export interface PackRequest {
  readonly subject: Subject;
  readonly root: string;
  readonly ignored: Ignored;
  readonly owner: TarOwner;
  readonly tally: Tally;
  /** Name of the file that comes last and so proves that the archive is whole; it holds the modes of directories that are locked. */
  readonly end: string;
}

/**
 * Packs a local tree into an archive, in chunks. A directory has an entry before its content, open to its owner, and its
 * true one after it, so that tars that set mode and time at once neither shut themselves out nor end with wrong ones. There
 * is no entry for the root.
 *
 * Small files are read synchronously, in short slices: going through the thread pool four times a file takes two to four
 * times as long, which would make a tree of small files slower than `tar` itself.
 */
export async function* packTree(request: PackRequest): AsyncGenerator<Buffer> {
  const { subject, root, tally, ignored } = request;
  const chunks = new Chunks(request.owner);
  const slice = new Slice();
  const locked: string[] = [];
  for (const { path, kind } of walkTree({ subject, root, ignored, skipped: tally.skipped })) {
    const local = joined(root, path);
    try {
      if (kind === 'enter' || kind === 'leave') {
        const stat = fs.lstatSync(local);
        const mode = kind === 'enter' ? (stat.mode & 0o777) | 0o700 : stat.mode;
        chunks.header({ type: 'directory', name: Buffer.from(joined(path, '')), mode, size: 0, modifiedAt: seconds(stat) });
        if (kind === 'leave') tally.directories += 1;
        if (kind === 'leave' && (stat.mode & 0o700) !== 0o700) locked.push(modeLine(stat.mode, joined(path, '')));
        tally.moved(0);
      } else if (kind === 'symlink') {
        const target = fs.readlinkSync(local, { encoding: 'buffer' });
        chunks.header({ type: 'symlink', name: Buffer.from(path), target, mode: 0o777, size: 0, modifiedAt: seconds(fs.lstatSync(local)) });
        tally.symlinks += 1;
        tally.moved(0);
      } else {
        yield* packFile(request, chunks, path, local);
      }
    } catch (error) {
      throw localError(subject, local, error);
    }
    if (chunks.full) yield* chunks.take();
    await slice.pause();
  }
  const modes = Buffer.from(locked.join(''));
  chunks.header({ type: 'file', name: Buffer.from(request.end), mode: 0o600, size: modes.length, modifiedAt: 0 });
  chunks.content(modes);
  chunks.append(Buffer.alloc(1024));
  yield* chunks.take();
}

/** A directory that its owner may not enter, read or change: a tar may be content with the mode of its first entry. For commit in upload.sh. */
function modeLine(mode: number, path: LocalPath): string {
  return `${(mode & 0o7777).toString(8)} ${escapeForPrintf(Buffer.from(path)).replaceAll(' ', '\\0040')}\n`;
}

async function* packFile({ subject, tally }: PackRequest, chunks: Chunks, path: LocalPath, local: LocalPath): AsyncGenerator<Buffer> {
  // Neither a link nor a pipe that took the file's place since the directory was read may be followed or waited for.
  const file = fs.openSync(local, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  try {
    const stat = fs.fstatSync(file);
    if (!stat.isFile()) {
      tally.skipped.push(path.toString());
      return;
    }
    const header = { type: 'file', name: Buffer.from(path), mode: stat.mode, modifiedAt: seconds(stat) } as const;
    tally.files += 1;
    if (stat.size <= smallBytes) {
      const content = Buffer.allocUnsafe(stat.size);
      let size = 0;
      for (let got = -1; got !== 0 && size < stat.size; size += got) got = fs.readSync(file, content, size, stat.size - size, size);
      chunks.header({ ...header, size });
      chunks.content(content.subarray(0, size));
      tally.moved(size);
      return;
    }
    chunks.header({ ...header, size: stat.size });
    yield* chunks.take();
    for (let at = 0; at < stat.size; ) {
      const content = Buffer.allocUnsafe(Math.min(chunkBytes, stat.size - at));
      const got = await readSome(file, content, at);
      if (got === 0) throw changed(subject, local);
      at += got;
      tally.moved(got);
      yield content.subarray(0, got);
    }
    chunks.append(Buffer.alloc(paddingAfter(stat.size)));
  } finally {
    fs.closeSync(file);
  }
}

/** Gathers small pieces into chunks: a write of its own for each would cost more than its content. */
class Chunks {
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(private readonly owner: TarOwner) {}

  get full(): boolean {
    return this.#bytes >= chunkBytes;
  }

  header(header: TarHeader): void {
    this.append(encodeHeader(header, this.owner));
  }

  content(bytes: Buffer): void {
    this.append(bytes);
    const padding = paddingAfter(bytes.length);
    if (padding > 0) this.append(zeros.subarray(0, padding));
  }

  append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
  }

  *take(): Generator<Buffer> {
    if (this.#bytes === 0) return;
    const chunk = Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces = [];
    this.#bytes = 0;
    yield chunk;
  }
}

const zeros = Buffer.alloc(512);

function readSome(file: number, into: Buffer, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(file, into, 0, into.length, at, (error, got) => (error === null ? resolve(got) : reject(error)));
  });
}

function seconds(stat: fs.Stats): number {
  return Math.floor(stat.mtimeMs / 1000);
}

function changed(subject: Subject, local: LocalPath): PetasosError {
  return new PetasosError('unavailable', `local ${quoted(local.toString())} became shorter while it was read`, {
    backend: subject.backend,
    operation: subject.operation,
    retryable: true,
    remedy: 'Try again when nothing writes to it, or leave it out with an ignore pattern.',
    data: { path: local.toString() },
  });
}
