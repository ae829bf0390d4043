import { hasMarks, hasUnknown, SPREAD, STAR, UNKNOWN } from './marks.js';

/**
 * Absolute, lexically normalised path of a word, with marks for what is unknown. A path whose beginning is unknown starts with a mark
 * instead of a slash. `..` behind an unknown part makes everything before it unknown.
 */
export function locate(raw: string, cwd: string | undefined): string {
  const open = raw[0] === UNKNOWN || raw[0] === SPREAD;
  const absolute = raw.startsWith('/') || open ? raw : `${cwd ?? UNKNOWN}/${raw}`;
  const rooted = absolute.startsWith('/');
  const parts: string[] = [];
  let unknownStart = !rooted;
  for (const part of absolute.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') {
      parts.push(part);
      continue;
    }
    const last = parts.pop();
    if (last === undefined ? unknownStart : hasUnknown(last)) {
      parts.length = 0;
      parts.push(UNKNOWN);
      unknownStart = true;
    }
  }
  if (unknownStart) return parts.join('/').replaceAll(SPREAD, UNKNOWN);
  return aliased(`/${parts.join('/')}`).replaceAll(SPREAD, UNKNOWN);
}

/** Other spellings of the same place. */
function aliased(path: string): string {
  if (path.startsWith('/proc/')) {
    const root = /^\/proc\/(?:self|thread-self|\d+)\/root(\/.*)?$/.exec(path);
    if (root) return locate(root[1] ?? '/', undefined);
  }
  if (path.startsWith('/private/')) {
    const rest = path.slice('/private'.length);
    if (/^\/(etc|var|tmp)(\/|$)/.test(rest)) return rest;
  }
  return path;
}

/** True when `path` is `directory` or lies under it, compared by component. */
export function contains(directory: string, path: string): boolean {
  if (directory === '/') return path.startsWith('/');
  return path === directory || path.startsWith(`${directory}/`);
}

export const isKnownPath = (path: string): boolean => path.startsWith('/') && !hasUnknown(path);

export function basename(path: string): string {
  const trimmed = path.endsWith('/') ? path.replace(/\/+$/, '') : path;
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

export function dirname(path: string): string {
  const at = path.lastIndexOf('/');
  return at < 0 ? '.' : at === 0 ? '/' : path.slice(0, at);
}

/** The directory of which everything is meant, for `dir/*`, `dir/**` and `dir/.*`. */
export function emptied(path: string): string | undefined {
  const name = basename(path);
  if (!hasMarks(name)) return undefined;
  const wild = name === `.${STAR}` || name.split(STAR).join('') === '' || /^[.\uE002\uE003\uE004\uE005!.]+$/.test(name);
  return wild ? dirname(path) : undefined;
}
