import fs from 'node:fs';
import { link, lstat, lutimes, mkdir, open, symlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { abortedError, quoted, type Subject } from '../errors.js';
import { ByteSource, EndedEarly } from './byte-source.js';
import { checkEntry, entryParts, hostile, type SafeEntry } from './entry-guard.js';
import type { Ignored } from './ignored.js';
import { joined, type LocalPath, localError, pathOfBytes } from './local.js';
import type { Tally } from './progress.js';
import { Slice } from './slice.js';
import { NoArchive, type TarEntry, TarReader } from './tar-reader.js';

/** Files up to this size are written at once. */
const smallBytes = 256 * 1024;

export interface ExtractRequest {
  readonly subject: Subject;
  /** An empty directory that nobody else can look into. */
  readonly root: string;
  /** Bits that this process leaves out of a new file's mode. */
  readonly umask: number;
  /** No entry can be bigger. */
  readonly freeBytes: number;
  readonly ignored: Ignored;
  readonly outsideLinks: 'refuse' | 'keep';
  readonly tally: Tally;
  readonly signal: AbortSignal | undefined;
}

/** A directory of the tree and what it is to become once nothing more is put into it. */
export interface ExtractedDirectory {
  /** Parts as Latin-1, joined by slashes. */
  readonly key: string;
  /** Undefined when the archive only implied it. */
  attributes: { readonly mode: number; readonly modifiedAt: Date } | undefined;
}

/**
 * Unpacks an archive that may have been made to do harm. The root starts empty, every file and directory in it is made
 * here with an exclusive call, and an entry is only ever put into a directory that was made here: so no entry can pass
 * through a link or replace another one, whatever the file system takes for the same name.
 *
 * @param done settles when the sender is done; its reason for failing comes before a complaint about a broken archive
 * @returns the directories in the order of their making. They are private and open until the caller finishes them.
 */
export async function extractTree(request: ExtractRequest, archive: Readable, done: Promise<void>): Promise<ExtractedDirectory[]> {
  const extraction = new Extraction(request);
  await extraction.run(archive, done);
  return [...extraction.directories.values()];
}

class Extraction {
  readonly directories = new Map<string, ExtractedDirectory>();
  readonly #slice = new Slice();
  #last = '';

  constructor(private readonly request: ExtractRequest) {}

  async run(archive: Readable, done: Promise<void>): Promise<void> {
    const { subject, signal } = this.request;
    const source = new ByteSource(archive as AsyncIterable<Uint8Array>);
    const reader = new TarReader(source);
    try {
      for (let raw = await reader.next(); raw !== undefined; raw = await reader.next()) {
        if (signal?.aborted) throw abortedError(subject, signal.reason);
        await this.#entry(raw, reader);
      }
      await done;
    } catch (error) {
      // What breaks off has a reason at its sender.
      if (error instanceof EndedEarly || archive.errored !== null) await done;
      if (error instanceof EndedEarly || error instanceof NoArchive) {
        throw hostile(subject, this.#last, `is followed by something that is no archive: ${error.message}`);
      }
      throw error;
    } finally {
      await source.close().catch(() => {});
    }
  }

  async #entry(raw: TarEntry, reader: TarReader): Promise<void> {
    const { subject, ignored, tally } = this.request;
    const parts = entryParts(subject, raw);
    const key = parts.join('/');
    this.#last = key;
    if (parts.length > 0 && ignored(pathOfBytes(key).toString(), raw.kind === 'directory')) return;
    const entry = checkEntry(subject, raw, parts, this.request.outsideLinks);
    if (parts.length === 0) return;
    const path = await this.#place(parts);
    switch (entry.kind) {
      case 'directory':
        await this.#directory(entry, key);
        tally.directories += 1;
        break;
      case 'symlink':
        await this.#exclusive(key, path, () => symlink(pathOfBytes(entry.target), path));
        await lutimes(path, entry.modifiedAt, entry.modifiedAt);
        tally.symlinks += 1;
        break;
      case 'link':
        await this.#link(entry, key, path);
        tally.files += 1;
        break;
      case 'file':
        await this.#file(entry, key, path, reader);
        tally.files += 1;
        break;
    }
    tally.moved(0);
  }

  /** The local path of the entry, in a directory that was made here. */
  async #place(parts: readonly string[]): Promise<LocalPath> {
    let parent = '';
    for (const part of parts.slice(0, -1)) {
      parent = parent === '' ? part : `${parent}/${part}`;
      if (!this.directories.has(parent)) await this.#makeDirectory(parent, parts.join('/'));
    }
    return this.#local(parts.join('/'));
  }

  async #directory(entry: SafeEntry, key: string): Promise<void> {
    const { mode, modifiedAt } = entry;
    const known = this.directories.get(key);
    if (known?.attributes !== undefined) throw hostile(this.request.subject, key, 'comes twice');
    const directory = known ?? (await this.#makeDirectory(key, key));
    directory.attributes = { mode, modifiedAt };
  }

  async #makeDirectory(key: string, wantedBy: string): Promise<ExtractedDirectory> {
    const path = this.#local(key);
    try {
      await mkdir(path, 0o700);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw localError(this.request.subject, path, error);
      throw hostile(this.request.subject, wantedBy, `passes through ${quoted(key)}, which is no directory of the archive`);
    }
    const directory: ExtractedDirectory = { key, attributes: undefined };
    this.directories.set(key, directory);
    return directory;
  }

  async #link(entry: SafeEntry, key: string, path: LocalPath): Promise<void> {
    const target = this.#local(entry.targetParts.join('/'));
    const parent = entry.targetParts.slice(0, -1).join('/');
    const inside = entry.targetParts.length > 0 && (parent === '' || this.directories.has(parent));
    const stat = inside ? await lstat(target).catch(() => undefined) : undefined;
    if (stat?.isFile() !== true) {
      throw hostile(
        this.request.subject,
        key,
        `is a hard link to ${quoted(entry.targetParts.join('/'))}, which is no earlier file of the archive`,
      );
    }
    await this.#exclusive(key, path, () => link(target, path));
  }

  async #file(entry: SafeEntry, key: string, path: LocalPath, reader: TarReader): Promise<void> {
    const { subject, tally } = this.request;
    if (entry.size > this.request.freeBytes) {
      throw localError(subject, path, Object.assign(new Error(`no room for ${entry.size} bytes`), { code: 'ENOSPC' }));
    }
    if (entry.size <= smallBytes) {
      const bytes = await reader.content();
      await this.#exclusive(key, path, () => createFile(path, bytes, entry, this.request.umask));
      tally.moved(bytes.length);
      return this.#slice.pause();
    }
    await this.#exclusive(key, path, async () => {
      const file = await open(path, 'wx', entry.mode | 0o200);
      try {
        for await (const chunk of reader.pieces()) {
          await file.writeFile(chunk);
          tally.moved(chunk.length);
        }
        await file.chmod(entry.mode);
        await file.utimes(entry.modifiedAt, entry.modifiedAt);
      } finally {
        await file.close();
      }
    });
  }

  /** Runs an exclusive creation: what exists already can only have come from this archive. */
  async #exclusive(key: string, path: LocalPath, create: () => unknown): Promise<void> {
    try {
      await create();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw hostile(this.request.subject, key, 'comes twice');
      throw localError(this.request.subject, path, error);
    }
  }

  #local(key: string): LocalPath {
    return joined(this.request.root, pathOfBytes(key));
  }
}

/** Synchronous for the same reason as in packing: five calls a file through the thread pool take three times as long. */
function createFile(path: LocalPath, bytes: Buffer, entry: SafeEntry, umask: number): void {
  const file = fs.openSync(path, 'wx', entry.mode);
  try {
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(file, bytes, at, bytes.length - at, null);
    fs.futimesSync(file, entry.modifiedAt, entry.modifiedAt);
    if ((entry.mode & umask) !== 0) fs.fchmodSync(file, entry.mode);
  } finally {
    fs.closeSync(file);
  }
}
