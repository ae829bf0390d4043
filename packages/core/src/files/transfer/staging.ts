import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, rmdir, stat, statfs, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileError, type Subject } from '../errors.js';
import type { ExtractedDirectory } from './extract.js';
import { joined, type LocalPath, localError, pathOfBytes } from './local.js';

/**
 * A private directory on the destination's file system in which a tree is gathered before any of it shows. For a new
 * destination it stands beside it and one rename makes it appear; a destination that exists is merged into, after every
 * conflict was looked for.
 */
export class Staging {
  private constructor(
    private readonly subject: Subject,
    private readonly destination: string,
    private readonly exists: boolean,
    private readonly directory: string,
    /** Parents of the destination that were made for it, the deepest first. */
    private readonly made: readonly string[],
    /** Mode of any new directory. */
    private readonly plainMode: number,
  ) {}

  /** Where to gather the tree. Has the mode of any new directory; its parent keeps others out. */
  get tree(): string {
    return join(this.directory, 'tree');
  }

  /** Bytes that its file system takes at most. */
  async freeBytes(): Promise<number> {
    const space = await statfs(this.tree);
    return space.bavail * space.bsize;
  }

  /** Bits that this process leaves out of a new file's mode. */
  get umask(): number {
    return 0o777 & ~this.plainMode;
  }

  static async prepare(subject: Subject, local: string): Promise<Staging> {
    const destination = resolve(local);
    const made: string[] = [];
    try {
      const found = await stat(destination).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (found !== undefined && !found.isDirectory()) {
        throw fileError('file-not-directory', { ...subject, path: local }, 'is not a local directory', 'Choose another local directory.');
      }
      const parent = found === undefined ? dirname(destination) : destination;
      const first = await mkdir(parent, { recursive: true });
      if (first !== undefined) for (let path = parent; path.length >= first.length; path = dirname(path)) made.push(path);
      const directory = await mkdtemp(join(parent, '.petasos-'));
      await mkdir(join(directory, 'tree'));
      const plainMode = (await stat(join(directory, 'tree'))).mode & 0o777;
      return new Staging(subject, destination, found !== undefined, directory, made, plainMode);
    } catch (error) {
      for (const path of made) await rmdir(path).catch(() => {});
      throw localError(subject, destination, error);
    }
  }

  /** Puts the tree in its place, then gives the new directories their modes and times. */
  async commit(directories: readonly ExtractedDirectory[]): Promise<void> {
    const merged = new Set<string>();
    try {
      if (this.exists) {
        await this.#merge('', merged, 'check');
        await this.#merge('', merged, 'move');
      } else {
        await rename(this.tree, this.destination);
      }
      // The deepest first: a parent's time changes with its children, and its mode may shut them in.
      for (const { key, attributes } of [...directories].reverse()) {
        if (merged.has(key)) continue;
        const path = joined(this.destination, pathOfBytes(key));
        if (attributes !== undefined) await utimes(path, attributes.modifiedAt, attributes.modifiedAt);
        await chmod(path, attributes?.mode ?? this.plainMode);
      }
    } catch (error) {
      throw localError(this.subject, this.destination, error);
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Removes everything that was gathered. */
  async discard(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
    for (const path of this.made) await rmdir(path).catch(() => {});
  }

  /** Below the destination no link is followed: an earlier download may have brought it. */
  async #merge(key: string, merged: Set<string>, pass: 'check' | 'move'): Promise<void> {
    for (const name of await readdir(joined(this.tree, pathOfBytes(key)), { encoding: 'latin1' })) {
      const inner = key === '' ? name : `${key}/${name}`;
      const from = joined(this.tree, pathOfBytes(inner));
      const to = joined(this.destination, pathOfBytes(inner));
      const there = await lstat(to).catch(() => undefined);
      const directory = there !== undefined && (await lstat(from)).isDirectory();
      if (directory && there.isDirectory()) {
        merged.add(inner);
        await this.#merge(inner, merged, pass);
      } else if (directory) {
        throw this.#conflict('file-not-directory', to, 'is no directory, but one comes to its place');
      } else if (there?.isDirectory() === true) {
        throw this.#conflict('file-is-directory', to, 'is a directory, but a file comes to its place');
      } else if (pass === 'move') {
        await rename(from, to);
      }
    }
  }

  #conflict(code: 'file-not-directory' | 'file-is-directory', path: LocalPath, what: string): Error {
    return fileError(code, { ...this.subject, path: path.toString() }, what, 'Move the local one away, or download elsewhere.');
  }
}
