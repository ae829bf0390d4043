import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isFileError, makePrivateDirectory } from './private-files.js';

/** One thing that happened. */
export interface Mark {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly note: string;
}

/** Counts what happens, apart for each scope (a sandbox). Several processes may count in one place. */
export interface Tally {
  add(scope: string, mark: Mark): Promise<void>;
  /** Oldest first. */
  list(scope: string): Promise<readonly Mark[]>;
  scopes(): Promise<readonly string[]>;
  /** Absent: every scope. */
  clear(scope?: string): Promise<void>;
}

export function createMemoryTally(): Tally {
  const marks = new Map<string, Mark[]>();
  return {
    async add(scope, mark) {
      marks.set(scope, [...(marks.get(scope) ?? []), mark]);
    },
    async list(scope) {
      return marks.get(scope) ?? [];
    },
    async scopes() {
      return [...marks.keys()];
    },
    async clear(scope) {
      if (scope === undefined) marks.clear();
      else marks.delete(scope);
    },
  };
}

const scopeFile = 'scope';
const markFile = /^(\d{15})-\d+-[0-9a-f]+$/;

/**
 * A tally on disk: `DIRECTORY/<hash of the scope>/<time>-<pid>-<random>`, a file for each mark. Adding creates a file and
 * clearing removes files, so that processes need no lock and none loses another's mark.
 */
export function createDirectoryTally(directory: string): Tally {
  const folderOf = (scope: string) => path.join(directory, createHash('sha256').update(scope).digest('hex').slice(0, 32));

  async function scopes(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const folder of await entries(directory)) {
      const scope = await content(path.join(directory, folder, scopeFile));
      if (scope !== undefined) found.push(scope);
    }
    return found;
  }

  return {
    scopes,
    async add(scope, mark) {
      const folder = folderOf(scope);
      const name = `${String(mark.at).padStart(15, '0')}-${process.pid}-${randomBytes(4).toString('hex')}`;
      for (let attempt = 0; ; attempt += 1) {
        try {
          await makePrivateDirectory(folder);
          await writeFile(path.join(folder, scopeFile), scope, { mode: 0o600 });
          await writeFile(path.join(folder, name), mark.note, { mode: 0o600, flag: 'wx' });
          return;
        } catch (error) {
          // Another process removed the cleared folder between two of the steps.
          if (!isFileError(error, 'ENOENT') || attempt === 20) throw error;
        }
      }
    },
    async list(scope) {
      const folder = folderOf(scope);
      const marks: Mark[] = [];
      for (const name of (await entries(folder)).sort()) {
        const at = markFile.exec(name)?.[1];
        if (at !== undefined) marks.push({ at: Number(at), note: (await content(path.join(folder, name))) ?? '' });
      }
      return marks;
    },
    async clear(scope) {
      const folders = scope === undefined ? (await entries(directory)).map((name) => path.join(directory, name)) : [folderOf(scope)];
      for (const folder of folders) {
        for (const name of await entries(folder)) await rm(path.join(folder, name), { force: true });
        await removeEmpty(folder);
      }
    },
  };
}

async function entries(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return [];
    throw error;
  }
}

async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!isFileError(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

async function content(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return undefined;
    throw error;
  }
}
