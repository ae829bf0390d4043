import { limits } from '../limits.js';
import { activateGlobs, hasUnknown, UNKNOWN } from '../marks.js';
import { endsWithinSubstitution, type ParameterExpansionPart, type Word } from '../parse.js';
import { scalar, unknownValue, type Value } from '../scope.js';
import type { Expansion } from './expansion.js';
import { change } from './parameter-change.js';

/** One possible result of an expansion: a text, or a list that stays apart. */
export type Result = string | readonly string[];

/** `$name`, `$1`, `$@` … */
export function simpleParameter(name: string, expansion: Expansion, inQuotes: boolean): Result[] {
  if (name === '@' || name === '*') {
    const words = expansion.scope.positional;
    if (!words) return [[], UNKNOWN];
    return [name === '*' && inQuotes ? words.join(' ') : words];
  }
  return resultsOf(lookup(name, expansion), false);
}

/** What is known about a variable without any operator. Undefined: the environment decides. */
function lookup(name: string, expansion: Expansion): Value | undefined {
  if (/^\d+$/.test(name)) {
    if (name === '0') return expansion.scope.get('0') ?? scalar('bash');
    const words = expansion.scope.positional;
    if (!words) return unknownValue;
    const word = words[Number(name) - 1];
    return word === undefined ? { kind: 'unset' } : scalar(word);
  }
  if (name === '#') return expansion.scope.positional ? scalar(String(expansion.scope.positional.length)) : unknownValue;
  const set = expansion.scope.get(name);
  if (set) return set;
  switch (name) {
    case 'HOME':
      return scalar(expansion.home);
    case 'PWD':
      return scalar(expansion.scope.cwd ?? UNKNOWN);
    case 'OLDPWD':
      return scalar(expansion.scope.lastPath ?? UNKNOWN);
    case 'USER':
    case 'LOGNAME':
      return scalar(expansion.user);
    case 'SHELL':
    case 'BASH':
      return scalar('/bin/bash');
    case 'IFS':
      return scalar(' \t\n');
    default:
      return undefined;
  }
}

function resultsOf(value: Value | undefined, list: boolean): Result[] {
  if (!value || value.kind === 'reference') return [UNKNOWN];
  if (value.kind === 'unset') return [list ? [] : ''];
  if (value.kind === 'array') return [list ? value.elements : (value.elements[0] ?? '')];
  return [...value.alternatives];
}

/** `${…}` in all its forms. Operands are resolved even where they do not count, because the commands in them are code. */
export function parameter(part: ParameterExpansionPart, expansion: Expansion, inQuotes: boolean): Result[] {
  const name = part.parameter;
  const operation = part.operation;
  if (operation?.type === 'Names') return [expansion.scope.names(name)];
  const index = part.index ? (expansion.text(part.index)[0] ?? UNKNOWN) : undefined;
  const list = index === '@' || index === '*' || ((name === '@' || name === '*') && !part.prefix);
  if (index !== undefined && !list) evaluatedIndex(index, expansion);
  if (part.prefix === '#') return [lengthOf(name, list, expansion)];
  let value = name === '@' || name === '*' ? positionals(expansion) : lookup(name, expansion);
  if (part.prefix === '!') value = indirect(value, name, expansion);
  let results = index !== undefined && !list ? element(value, index) : resultsOf(value, list);
  if (list && (index === '*' || name === '*') && inQuotes)
    results = results.map((result) => (typeof result === 'string' ? result : result.join(' ')));
  if (!operation) return results;
  switch (operation.type) {
    case 'Default':
      return withDefault(name, operation.operator, operation.operand, value, results, expansion);
    case 'Remove': {
      const patterns = patternsOf(operation.operand, expansion);
      return change(results, (text) => ({ kind: 'remove', operator: operation.operator, pattern: patterns, text }));
    }
    case 'Replace': {
      // The parser ends the pattern at the first slash, also at one within a substitution.
      if (endsWithinSubstitution(operation.pattern.text)) {
        expansion.cut(part.text.slice(operation.operatorEnd - part.pos, -1));
        return [UNKNOWN];
      }
      const pattern = patternsOf(operation.pattern, expansion);
      const replacement = expansion.text(operation.replacement)[0] ?? UNKNOWN;
      return change(results, (text) => ({ kind: 'replace', operator: operation.operator, pattern, replacement, text }));
    }
    case 'Slice': {
      const offset = numberOf(operation.offset, expansion);
      const length = operation.length ? numberOf(operation.length, expansion) : undefined;
      if (offset === undefined || (operation.length && length === undefined)) return [UNKNOWN];
      return results.map((result) => slice(result, offset, length, name));
    }
    case 'CaseModification': {
      const plain = !operation.operand || expansion.text(operation.operand)[0] === '';
      return plain ? change(results, (text) => ({ kind: 'case', operator: operation.operator, text })) : [UNKNOWN];
    }
    case 'Transform': {
      const letter = operation.operand.value;
      if (letter === 'P') for (const result of results) expansion.expandedAsPrompt(typeof result === 'string' ? result : result.join(' '));
      return change(results, (text) => ({ kind: 'transform', operator: letter, text }));
    }
    case 'Unknown':
      return [UNKNOWN];
    default: {
      const unknown: never = operation;
      return unknown;
    }
  }
}

/** An index is arithmetic, and so is the value of a variable that it names. */
function evaluatedIndex(index: string, expansion: Expansion): void {
  expansion.evaluatedAgain(index);
  const value = /^[A-Za-z_]\w*$/.test(index) ? expansion.scope.get(index) : undefined;
  if (value?.kind === 'scalar') for (const alternative of value.alternatives) expansion.evaluatedAgain(alternative);
}

const positionals = (expansion: Expansion): Value | undefined =>
  expansion.scope.positional ? { kind: 'array', elements: expansion.scope.positional } : unknownValue;

function lengthOf(name: string, list: boolean, expansion: Expansion): string {
  const value = name === '@' || name === '*' ? positionals(expansion) : lookup(name, expansion);
  if (value?.kind === 'array' && list) return String(value.elements.length);
  if (value?.kind !== 'scalar' || value.alternatives.length !== 1 || hasUnknown(value.alternatives[0] as string)) return UNKNOWN;
  return list ? '1' : String((value.alternatives[0] as string).length);
}

function indirect(value: Value | undefined, name: string, expansion: Expansion): Value | undefined {
  const raw = expansion.scope.raw(name);
  if (raw?.kind === 'reference') return scalar(raw.name);
  if (value?.kind !== 'scalar') return unknownValue;
  const targets: string[] = [];
  for (const target of value.alternatives) {
    if (hasUnknown(target)) return unknownValue;
    expansion.evaluatedAgain(target);
    const found = lookup(target.replace(/\[.*$/s, ''), expansion);
    if (found?.kind === 'scalar') targets.push(...found.alternatives);
    else if (found?.kind === 'array') targets.push(...found.elements.slice(0, limits.alternatives));
    else targets.push(UNKNOWN);
  }
  return scalar(...targets);
}

function element(value: Value | undefined, index: string): Result[] {
  if (value?.kind === 'scalar') return index === '0' ? [...value.alternatives] : [UNKNOWN];
  if (value?.kind !== 'array') return [value?.kind === 'unset' ? '' : UNKNOWN];
  const at = /^-?\d+$/.test(index) ? Number(index) : undefined;
  if (at !== undefined) return [value.elements.at(at) ?? ''];
  return value.elements.length <= limits.alternatives && value.elements.length > 0 ? [...value.elements] : [UNKNOWN];
}

function withDefault(
  name: string,
  operator: string,
  operand: Word,
  value: Value | undefined,
  results: Result[],
  expansion: Expansion,
): Result[] {
  const alternatives = expansion.text(operand);
  const treatsEmptyAsUnset = operator.startsWith(':');
  const kind = operator.at(-1);
  const all: Result[] = [];
  let mayAssign = false;
  for (const result of results) {
    const text = typeof result === 'string' ? result : result.join(' ');
    const open = hasUnknown(text);
    const missing = value?.kind === 'unset' || (treatsEmptyAsUnset && text === '');
    if (kind === '+') {
      if (open || missing) all.push('');
      if (open || !missing) all.push(...alternatives);
    } else if (kind === '?') all.push(result);
    else {
      if (open || !missing) all.push(result);
      if (open || missing) {
        all.push(...alternatives);
        mayAssign = true;
      }
    }
  }
  if (kind === '=' && mayAssign)
    expansion.scope.set(name, scalar(...all.map((result) => (typeof result === 'string' ? result : result.join(' ')))));
  return all.length > limits.alternatives ? [UNKNOWN] : all;
}

/** A pattern keeps its wildcards, quoted ones lost theirs when the word was resolved. */
function patternsOf(word: Word, expansion: Expansion): string {
  if (!word.parts) return word.text === word.value ? activateGlobs(word.value) : word.value;
  const onlyGlobs = word.parts.every((part) => part.type === 'Literal' || part.type === 'Glob' || part.type === 'ExtendedGlob');
  const text = expansion.text(word)[0] ?? UNKNOWN;
  return onlyGlobs ? activateGlobs(text) : text;
}

function numberOf(word: Word, expansion: Expansion): number | undefined {
  const text = expansion.text(word)[0] ?? '';
  expansion.evaluatedAgain(text);
  const trimmed = text.trim();
  if (/^-?\d+$/.test(trimmed)) return Number(trimmed);
  const value = /^[A-Za-z_]\w*$/.test(trimmed) ? expansion.scope.get(trimmed) : undefined;
  if (value?.kind === 'scalar') for (const alternative of value.alternatives) expansion.evaluatedAgain(alternative);
  return value?.kind === 'scalar' && /^-?\d+$/.test(value.alternatives[0] ?? '') ? Number(value.alternatives[0]) : undefined;
}

function slice(result: Result, offset: number, length: number | undefined, name: string): Result {
  if (typeof result !== 'string') {
    const words = name === '@' || name === '*' ? ['bash', ...result] : result;
    const start = offset < 0 ? words.length + offset : offset;
    return words.slice(start, length === undefined ? undefined : start + length);
  }
  if (hasUnknown(result)) return UNKNOWN;
  const start = offset < 0 ? Math.max(0, result.length + offset) : offset;
  return result.slice(start, length === undefined ? undefined : length < 0 ? result.length + length : start + length);
}
