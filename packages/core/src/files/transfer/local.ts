import { PetasosError, type PetasosErrorCode } from '../../contract/index.js';
import { quoted, type Subject } from '../errors.js';

/** A path of this machine: text, or bytes where a name is not UTF-8. */
export type LocalPath = string | Buffer;

export function joined(directory: LocalPath, name: LocalPath): LocalPath {
  if (typeof directory === 'string' && typeof name === 'string') return directory === '' ? name : `${directory}/${name}`;
  const parts = directory.length === 0 ? [Buffer.from(name)] : [Buffer.from(directory), slash, Buffer.from(name)];
  return Buffer.concat(parts);
}

const slash = Buffer.from('/');

/** The path for bytes that were read as Latin-1. */
export function pathOfBytes(latin1: string): LocalPath {
  if (ascii.test(latin1)) return latin1;
  const bytes = Buffer.from(latin1, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : bytes;
}

const ascii = /^[\x01-\x7f]*$/;

const codes: Readonly<Record<string, readonly [PetasosErrorCode, string]>> = {
  ENOENT: ['file-not-found', 'Check the local path.'],
  ENOTDIR: ['file-not-directory', 'Name a local directory.'],
  EISDIR: ['file-is-directory', 'Move the local directory away.'],
  EEXIST: ['file-exists', 'Move the local file away.'],
  ENOTEMPTY: ['file-exists', 'Move the local directory away.'],
  EACCES: ['file-permission', 'Change the mode or the owner of the local file, or leave it out with an ignore pattern.'],
  EPERM: ['file-permission', 'Change the mode or the owner of the local file, or leave it out with an ignore pattern.'],
  EROFS: ['file-permission', 'Choose a local directory that can be written.'],
  ENOSPC: ['no-space', 'Make room on this machine.'],
  EDQUOT: ['no-space', 'Make room within the quota on this machine.'],
};

/** The typed error for a failure of this machine's file system; other errors stay what they are. */
export function localError(subject: Subject, path: LocalPath, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const known = code === undefined ? undefined : codes[code];
  if (known === undefined) return error;
  const shown = path.toString();
  return new PetasosError(known[0], `local ${quoted(shown)}: ${(error as Error).message}`, {
    backend: subject.backend,
    operation: subject.operation,
    remedy: known[1],
    data: { path: shown },
    cause: error,
  });
}
