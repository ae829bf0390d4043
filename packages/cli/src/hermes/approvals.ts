import type { RuleImport } from '@petasos/core';

/** `approvals.mode` as Hermes reads it: only off is off, whatever else is wrong asks a person. */
export function lenientMode(value: unknown): { readonly mode: string; readonly note?: string } {
  if (value === false || value === 'off') return { mode: 'off' };
  if (value === 'manual' || typeof value !== 'string' || value.trim() === '') return { mode: 'manual' };
  if (value === 'smart') return { mode: 'manual', note: 'smart asks a language model first; Petasos asks a person' };
  return { mode: 'manual', note: `${JSON.stringify(value)} is no mode; a person is asked` };
}

/** Patterns over the text of commands as rules over their words, where they can be said so. */
export async function rulesFromPatterns(allow: readonly string[], deny: readonly string[], name: string): Promise<RuleImport> {
  const { importRules, judge } = await import('@petasos/core/approvals');
  const entry = (pattern: string) => `Bash(${pattern})`;
  return importRules(JSON.stringify({ permissions: { allow: allow.map(entry), deny: deny.map(entry) } }), name, { judge });
}
