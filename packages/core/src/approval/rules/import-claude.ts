import { PetasosError } from '../../contract/errors.js';
import type { Verdict } from '../verdict.js';
import { parseSource } from './file.js';
import type { ForeignRule } from './import.js';
import type { RuleSource } from './load.js';
import { hasWildcard } from './pattern.js';

const lists: readonly Verdict[] = ['allow', 'ask', 'deny'];

/** The `permissions` of a settings file, or the lists alone. */
export async function parseClaudeRules(text: string, name: string): Promise<readonly ForeignRule[]> {
  const source = await parseSource(text, name);
  const top = record(source.value);
  const permissions = record(top?.['permissions']) ?? top;
  const base = record(top?.['permissions']) === undefined ? [] : ['permissions'];
  if (permissions === undefined || lists.every((list) => permissions[list] === undefined)) {
    throw new PetasosError('invalid-options', `${name}:1: has none of the lists allow, ask and deny under permissions`, {
      operation: 'approvals.import',
      remedy: 'Give a settings file with permissions, or a file of prefix_rule calls.',
    });
  }
  return lists.flatMap((decision) => {
    const list = permissions[decision];
    if (list === undefined) return [];
    if (!Array.isArray(list)) throw malformed(source, [...base, decision], 'must be a list of texts');
    return list.map((entry: unknown, index) => {
      const path = [...base, decision, index];
      if (typeof entry !== 'string') throw malformed(source, path, 'must be a text');
      return { written: entry, line: source.line(path) ?? 1, decision, ...parseEntry(entry, decision) };
    });
  });
}

type Parsed = Pick<ForeignRule, 'argv' | 'refused' | 'warning'>;

function parseEntry(entry: string, decision: Verdict): Parsed {
  const refuse = (refused: string): Parsed => ({ argv: undefined, refused });
  const pattern = /^Bash(?:\((.*)\))?$/s.exec(entry);
  if (pattern === null) return refuse('it is not about commands');
  const body = (pattern[1] ?? '*').trim();
  if (body === '' || body === '*' || body === ':*') return refuse('it is about every command: approvals.mode says what holds for those');
  if (/[;&|<>`\n]|\$[({A-Za-z_]/.test(body))
    return refuse('it is about more than the words of one command: operators and expansions are resolved before rules are looked at');
  const open = body.endsWith(':*');
  const words = splitWords(open ? body.slice(0, -2) : body);
  if (words === undefined) return refuse('its quotes do not close');
  if (open) return { argv: [...words, '**'] };
  return wildcards(words, decision);
}

/** A `*` there matches blanks too, so that it may stand for part of a word, a word, or many. */
function wildcards(words: readonly string[], decision: Verdict): Parsed {
  if (!words.some(hasWildcard)) {
    // Deny and ask rules here match longer commands too, which errs on the safe side.
    return decision === 'allow' ? { argv: words } : { argv: words, warning: 'it also matches when more words follow' };
  }
  const [program = ''] = words;
  if (decision === 'allow' && hasWildcard(program))
    return { argv: undefined, refused: 'an allow rule must name its program without wildcards' };
  const early = words.findIndex(hasWildcard);
  if (decision === 'allow' && early < words.length - 1) {
    return { argv: undefined, refused: 'its wildcard stands before other words, where it also matches options that run something else' };
  }
  const argv = words.flatMap((word) => (word === '*' ? ['**'] : word.endsWith('*') ? [word, '**'] : [word]));
  return argv.some((word) => word !== '**' && /\*./.test(word.replaceAll('\\*', '')))
    ? { argv, warning: 'a * within a word matches no blanks here' }
    : { argv };
}

/** Words of a pattern, without their quotes; a star in quotes is a plain one. Undefined when a quote is open. */
function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
      else word = (word ?? '') + (character === '*' ? '\\*' : character);
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (character === '\\' && at + 1 < text.length) {
      at += 1;
      const next = text[at] ?? '';
      word = (word ?? '') + (next === '*' ? '\\*' : next);
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== '') return undefined;
  return word === undefined ? words : [...words, word];
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : undefined;
}

function malformed(source: RuleSource, path: readonly (string | number)[], message: string): PetasosError {
  return new PetasosError('invalid-options', `${source.name}:${source.line(path) ?? 1}: ${path.join('.')}: ${message}`, {
    operation: 'approvals.import',
    remedy: 'Correct the file; nothing of it was imported.',
  });
}
