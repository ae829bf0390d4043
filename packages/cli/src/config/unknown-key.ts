import type { CliError } from '../ui/errors.js';
import { nearest } from '../ui/nearest.js';
import { configError } from './config-error.js';
import { vocabulary } from './vocabulary.js';

/** The error for a key that nobody knows; `where` says in which file and line it stands. */
export function unknownKey(key: string, where = ''): CliError {
  const close = nearestKey(key);
  return configError(
    `${where}${key}: unknown key`,
    close === undefined ? 'petasos config list --all shows every key.' : `Did you mean ${close}?`,
  );
}

/**
 * Compared without the section, so that a key in the wrong place is found, and so that long sections hide no typing error;
 * of two that are as near, the one in the same section was meant.
 */
function nearestKey(key: string): string | undefined {
  const tailOf = (full: string) => full.slice(full.lastIndexOf('.') + 1);
  const tail = nearest(
    tailOf(key),
    vocabulary.map((entry) => tailOf(entry.key)),
  );
  const found = vocabulary.filter((entry) => tailOf(entry.key) === tail).map((entry) => entry.key);
  return found.find((known) => known === key.slice(0, -tailOf(key).length) + tail) ?? found[0];
}
