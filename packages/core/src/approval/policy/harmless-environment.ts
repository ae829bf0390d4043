import type { EnvironmentChange } from '../verdict.js';

const harmless: ReadonlySet<string> = new Set([
  'CI',
  'NODE_ENV',
  'FORCE_COLOR',
  'NO_COLOR',
  'CLICOLOR',
  'TERM',
  'COLORTERM',
  'COLUMNS',
  'LINES',
  'LANG',
  'LANGUAGE',
  'TZ',
  'DEBUG',
  'RUST_LOG',
  'RUST_BACKTRACE',
  'PYTHONUNBUFFERED',
]);

/** The changes that can alter what a command does; the last one of a name counts. Sorted by name. */
export function relevantEnvironment(changes: readonly EnvironmentChange[]): readonly EnvironmentChange[] {
  const last = new Map<string, EnvironmentChange>();
  for (const change of changes) if (!harmless.has(change.name) && !change.name.startsWith('LC_')) last.set(change.name, change);
  return [...last.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}
