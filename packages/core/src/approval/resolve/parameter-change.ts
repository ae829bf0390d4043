import { canMatch, hasGlob, hasUnknown, UNKNOWN } from '../marks.js';
import { decodeEscapes } from './escapes.js';
import type { Result } from './parameter.js';

type Change =
  | { kind: 'remove'; operator: '#' | '##' | '%' | '%%'; pattern: string; text: string }
  | { kind: 'replace'; operator: '/' | '//' | '/#' | '/%'; pattern: string; replacement: string; text: string }
  | { kind: 'case'; operator: '^' | '^^' | ',' | ',,'; text: string }
  | { kind: 'transform'; operator: string; text: string };

/** Pattern work on longer values is not worth its quadratic cost: the value counts as unknown. */
const longest = 512;

/** Applies an operator to each text of each result. */
export function change(results: readonly Result[], describe: (text: string) => Change): Result[] {
  return results.map((result) => (typeof result === 'string' ? apply(describe(result)) : result.map((text) => apply(describe(text)))));
}

function apply(change: Change): string {
  const { text } = change;
  if (text.length > longest) return UNKNOWN;
  switch (change.kind) {
    case 'remove':
      return hasUnknown(text) && change.pattern.length > 0
        ? removeKnown(text, change.operator, change.pattern)
        : remove(text, change.operator, change.pattern);
    case 'replace':
      return hasUnknown(text) || hasUnknown(change.pattern) ? UNKNOWN : replace(text, change.operator, change.pattern, change.replacement);
    case 'case':
      return changeCase(text, change.operator);
    case 'transform':
      return transform(text, change.operator);
  }
}

/** An unknown text stays unknown, but its known end or beginning stays too where the pattern cannot reach it. */
function removeKnown(text: string, operator: string, pattern: string): string {
  if (hasGlob(pattern) || hasUnknown(pattern)) return UNKNOWN;
  if (operator.startsWith('%') && text.endsWith(pattern)) return text.slice(0, text.length - pattern.length);
  if (operator.startsWith('#') && text.startsWith(pattern)) return text.slice(pattern.length);
  return UNKNOWN;
}

function remove(text: string, operator: '#' | '##' | '%' | '%%', pattern: string): string {
  if (hasUnknown(pattern)) return UNKNOWN;
  const longestFirst = operator.length === 2;
  for (let step = 0; step <= text.length; step++) {
    const length = longestFirst ? text.length - step : step;
    const part = operator.startsWith('#') ? text.slice(0, length) : text.slice(text.length - length);
    if (canMatch(pattern, part)) return operator.startsWith('#') ? text.slice(length) : text.slice(0, text.length - length);
  }
  return text;
}

function replace(text: string, operator: string, pattern: string, replacement: string): string {
  if (pattern === '') return text;
  if (!hasGlob(pattern)) {
    if (operator === '//') return text.replaceAll(pattern, () => replacement);
    if (operator === '/#') return text.startsWith(pattern) ? replacement + text.slice(pattern.length) : text;
    if (operator === '/%') return text.endsWith(pattern) ? text.slice(0, text.length - pattern.length) + replacement : text;
    return text.replace(pattern, () => replacement);
  }
  if (text.length > 64) return UNKNOWN;
  let result = '';
  for (let at = 0; at < text.length; ) {
    let end = text.length;
    while (end > at && !canMatch(pattern, text.slice(at, end))) end--;
    const allowed = operator === '/#' ? at === 0 : operator === '/%' ? end === text.length : true;
    if (end > at && allowed) {
      result += replacement;
      at = end;
      if (operator !== '//') return result + text.slice(at);
    } else result += text[at++];
  }
  return result;
}

function changeCase(text: string, operator: string): string {
  const first = (change: (character: string) => string): string => change(text.slice(0, 1)) + text.slice(1);
  if (operator === '^^') return text.toUpperCase();
  if (operator === ',,') return text.toLowerCase();
  return first(operator === '^' ? (character) => character.toUpperCase() : (character) => character.toLowerCase());
}

function transform(text: string, operator: string): string {
  switch (operator) {
    case 'U':
      return text.toUpperCase();
    case 'L':
      return text.toLowerCase();
    case 'u':
      return changeCase(text, '^');
    case 'E':
      return decodeEscapes(text);
    case 'Q':
      return hasUnknown(text) ? UNKNOWN : `'${text.replaceAll("'", "'\\''")}'`;
    default:
      return UNKNOWN;
  }
}
