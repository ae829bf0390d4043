import fs from 'node:fs';
import type { Subject } from '../errors.js';
import type { Ignored } from './ignored.js';
import { joined, type LocalPath, localError } from './local.js';

export interface WalkRequest {
  readonly subject: Subject;
  readonly root: string;
  readonly ignored: Ignored;
  /** Takes the paths of what is neither a file, a directory nor a symlink. */
  readonly skipped: string[];
}

/** `enter` comes before and `leave` after what a directory holds. */
export interface WalkStep {
  /** Relative to the root. */
  readonly path: LocalPath;
  readonly kind: 'file' | 'symlink' | 'enter' | 'leave';
}

interface Named {
  readonly name: LocalPath;
  readonly entry: Pick<fs.Dirent, 'isDirectory' | 'isFile' | 'isSymbolicLink'>;
}

/** Everything below the root but what is ignored. Symlinks are not followed. */
export function* walkTree(request: WalkRequest, directory: LocalPath = ''): Generator<WalkStep> {
  for (const { name, entry } of entriesOf(request.subject, directory === '' ? request.root : joined(request.root, directory))) {
    const path = joined(directory, name);
    const isDirectory = entry.isDirectory();
    if (request.ignored(path.toString(), isDirectory)) continue;
    if (isDirectory) {
      yield { path, kind: 'enter' };
      yield* walkTree(request, path);
      yield { path, kind: 'leave' };
    } else if (entry.isFile()) yield { path, kind: 'file' };
    else if (entry.isSymbolicLink()) yield { path, kind: 'symlink' };
    else request.skipped.push(path.toString());
  }
}

/** A name that is not UTF-8 shows as U+FFFD; only a directory that holds one is read again as bytes. */
function entriesOf(subject: Subject, directory: LocalPath): readonly Named[] {
  try {
    const entries = fs.readdirSync(directory, { withFileTypes: true });
    if (typeof directory === 'string' && !entries.some((entry) => entry.name.includes('\ufffd'))) {
      return entries.map((entry) => ({ name: entry.name, entry }));
    }
    return fs.readdirSync(directory, { withFileTypes: true, encoding: 'buffer' }).map((entry) => ({ name: entry.name, entry }));
  } catch (error) {
    throw localError(subject, directory, error);
  }
}
