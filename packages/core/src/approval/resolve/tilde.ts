import { UNKNOWN } from '../marks.js';
import type { Expansion } from './expansion.js';

/** Expands a leading `~`, `~user`, `~+` or `~-` of unquoted text. With `open`, more of the word follows behind the text. */
export function tilde(value: string, expansion: Expansion, open = false): string {
  const slash = value.indexOf('/');
  const name = slash < 0 ? value.slice(1) : value.slice(1, slash);
  const rest = slash < 0 ? '' : value.slice(slash);
  if (open && slash < 0 && name !== '') return value;
  if (name === '') return homeOf(expansion) + rest;
  if (name === '+') return (expansion.scope.cwd ?? UNKNOWN) + rest;
  if (name === '-') return (expansion.scope.lastPath ?? UNKNOWN) + rest;
  if (!/^[a-z_][a-z0-9_-]*$/i.test(name)) return value;
  if (name === expansion.user) return expansion.home + rest;
  return (name === 'root' ? '/root' : `/home/${name}`) + rest;
}

function homeOf(expansion: Expansion): string {
  const set = expansion.scope.get('HOME');
  if (set === undefined) return expansion.home;
  return set.kind === 'scalar' && set.alternatives.length === 1 ? (set.alternatives[0] as string) : UNKNOWN;
}
