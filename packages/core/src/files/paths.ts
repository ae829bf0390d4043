import { fileError, type Subject } from './errors.js';
import type { FilesPlace } from './place.js';

const loneSurrogate = /\p{Surrogate}/u;

/**
 * The absolute path for what the caller wrote. `..` stays: where it leads depends on symlinks, which only the place knows.
 * A slash at the end is dropped unless `keepSlash`: it only says that a directory is meant.
 * @throws PetasosError `invalid-request` for a path that no file can have.
 */
export async function absolutePath(place: FilesPlace, subject: Subject, options: { readonly keepSlash?: boolean } = {}): Promise<string> {
  const { path } = subject;
  if (typeof path !== 'string' || path === '')
    throw fileError('invalid-request', { ...subject, path: String(path) }, 'is not a path', 'Name a file.');
  if (path.includes('\0')) throw fileError('invalid-request', subject, 'holds a NUL character, which no file name can', 'Remove the NUL.');
  if (loneSurrogate.test(path)) {
    throw fileError(
      'invalid-request',
      subject,
      'holds half of a surrogate pair, which has no UTF-8 form',
      'Name the file in well-formed Unicode.',
    );
  }
  let absolute = path;
  if (path === '~' || path.startsWith('~/')) absolute = `${trimmed(await place.home())}${path.slice(1)}`;
  else if (!path.startsWith('/')) absolute = `${trimmed(await place.workdir())}/${path}`;
  if (options.keepSlash === true && absolute.endsWith('/')) return absolute;
  return trimmed(absolute) || '/';
}

function trimmed(path: string): string {
  return path.replace(/\/+$/, '');
}
