import { limits } from '../limits.js';
import { activateGlobs, CLOSE, deactivateGlobs, hasUnknown, OPEN, QUESTION, SPREAD, STAR, UNKNOWN } from '../marks.js';
import type { Word, WordPart } from '../parse.js';
import { evaluate } from './arithmetic.js';
import { expandBraces, type Stretch } from './braces.js';
import { bare, type Expansion, type Piece, quoted } from './expansion.js';
import { parameter, simpleParameter } from './parameter.js';
import { tilde } from './tilde.js';

/** Every list of fields that a word can become: usually one list of one field. */
export function resolveFields(word: Word, expansion: Expansion): string[][] {
  if (!word.parts) return [[word.text.startsWith('~') ? tilde(word.value, expansion) : word.value]];
  const braces = word.parts.some((part) => part.type === 'BraceExpansion');
  const words = !braces ? [word.parts] : expansion.expanded(0) ? expandBraces(word.parts) : undefined;
  if (words && braces) expansion.expanded(words.length);
  if (!words) {
    for (const part of word.parts) piecesOf(part, expansion, false);
    return [[SPREAD]];
  }
  if (words.length === 1) return combine(words[0] as Stretch[], expansion, false).map((pieces) => toFields(pieces, expansion));
  let results: string[][] = [[]];
  for (const stretches of words) {
    const alternatives = combine(stretches, expansion, false).map((pieces) => toFields(pieces, expansion));
    results = product(results, alternatives);
  }
  return results;
}

/** The values of a word where neither fields are split nor names are matched: assignments, `case`, here-strings, redirections. */
export function resolveText(word: Word, expansion: Expansion, assignment = false): string[] {
  if (!word.parts) return [word.text.includes('~') ? tildes(word.text, word.value, expansion, assignment) : word.value];
  return combine(word.parts, expansion, true)
    .map((pieces) => pieces.map((piece) => piece.fields?.join(' ') ?? piece.text).join(''))
    .map((text) => (assignment && word.text.startsWith('~') ? text : deactivateGlobs(text)));
}

function tildes(raw: string, value: string, expansion: Expansion, assignment: boolean): string {
  if (!assignment) return raw.startsWith('~') ? tilde(value, expansion) : value;
  return raw.includes('\\')
    ? value
    : value
        .split(':')
        .map((piece) => (piece.startsWith('~') ? tilde(piece, expansion) : piece))
        .join(':');
}

/** The texts of parts that stand outside of any word, such as the body of an unquoted heredoc. */
export function resolveParts(parts: readonly WordPart[], expansion: Expansion): string {
  return combine(parts, expansion, true, true)
    .map((pieces) => pieces.map((piece) => piece.fields?.join(' ') ?? piece.text).join(''))
    .reduce((left, right) => (left === right ? left : UNKNOWN));
}

function product<Item>(left: Item[][], right: Item[][]): Item[][] {
  if (right.length === 1) {
    // Every list of `left` was made here, so it may grow in place: a word of many parts stays linear.
    for (const items of left) for (const item of right[0] as Item[]) items.push(item);
    return left;
  }
  if (left.length * right.length > limits.alternatives)
    return left
      .map((items) => [...items, ...(right[0] ?? [])])
      .concat(right.map((items) => [...(left[0] ?? []), ...items]))
      .slice(0, limits.alternatives);
  return left.flatMap((items) => right.map((more) => [...items, ...more]));
}

function combine(stretches: readonly Stretch[], expansion: Expansion, whole: boolean, inHeredoc = false): Piece[][] {
  let results: Piece[][] = [[]];
  stretches.forEach((stretch, index) => {
    let alternatives = stretch.type === 'Text' ? [[bare(stretch.value)]] : piecesOf(stretch, expansion, inHeredoc);
    const raw = stretch.type === 'Text' ? stretch.raw : stretch.type === 'Literal' ? stretch.text : '';
    if (index === 0 && !inHeredoc && raw.startsWith('~')) {
      const first = alternatives[0]?.[0]?.text ?? '';
      alternatives = [[bare(tilde(first, expansion, stretches.length > 1))]];
    }
    const combinations = results.length * alternatives.length;
    if (combinations > limits.alternatives)
      alternatives = [[whole || inHeredoc ? quoted(UNKNOWN) : { text: SPREAD, quoted: false, splits: true }]];
    results = product(results, alternatives);
  });
  return results;
}

/** The alternatives of one part. */
export function piecesOf(part: WordPart, expansion: Expansion, inQuotes: boolean): Piece[][] {
  switch (part.type) {
    case 'Literal':
      return [[inQuotes ? quoted(part.value) : bare(part.value)]];
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [[quoted(part.value)]];
    case 'DoubleQuoted':
    case 'LocaleString':
      return quotedParts(part.parts, expansion);
    case 'SimpleExpansion':
      return expanded(simpleParameter(part.text.slice(1), expansion, inQuotes), inQuotes);
    case 'ParameterExpansion':
      if (!expansion.spend()) return [[quoted(UNKNOWN)]];
      return expanded(parameter(part, expansion, inQuotes), inQuotes);
    case 'CommandExpansion': {
      const output = expansion.substitute(part.script);
      return expanded([output], inQuotes);
    }
    case 'ArithmeticExpansion': {
      const value = part.expression ? evaluate(part.expression, expansion) : undefined;
      return [[inQuotes || value === undefined ? quoted(value === undefined ? UNKNOWN : String(value)) : bare(String(value))]];
    }
    case 'ProcessSubstitution':
      return [[quoted(expansion.processSubstitution(part.script, part.operator))]];
    case 'Glob':
      if (part.kind === 'bracket') {
        for (const inner of part.parts) piecesOf(inner, expansion, false);
        return [[bare(`${OPEN}${part.text.slice(1, -1)}${CLOSE}`)]];
      }
      return [[bare(part.kind === 'star' ? STAR : QUESTION)]];
    case 'ExtendedGlob':
      for (const inner of part.parts ?? []) piecesOf(inner, expansion, false);
      if (/^[eo]?e[:'"[{|+]/.test(part.pattern)) expansion.otherShell(part.text);
      return [[bare(STAR)]];
    case 'BraceExpansion': {
      const words = expansion.expanded(0) ? expandBraces([part]) : undefined;
      if (words) expansion.expanded(words.length);
      else for (const inner of part.parts ?? []) piecesOf(inner, expansion, false);
      const whole = words
        ?.flatMap((stretches) => combine(stretches, expansion, true))
        .map((pieces) => pieces.map((piece) => piece.text).join(''));
      return [[bare(whole && whole.length === 1 ? (whole[0] as string) : part.text)]];
    }
    default: {
      const unknown: never = part;
      return unknown;
    }
  }
}

function quotedParts(parts: readonly WordPart[], expansion: Expansion): Piece[][] {
  let results: Piece[][] = [[]];
  for (const part of parts) {
    let alternatives = piecesOf(part, expansion, true);
    if (results.length * alternatives.length > limits.alternatives) alternatives = [[quoted(UNKNOWN)]];
    results = product(results, alternatives);
  }
  // Quotes around nothing make an empty word; around an empty list, such as `"$@"`, they make none.
  for (const pieces of results) if (!pieces.some((piece) => piece.fields)) pieces.push(quoted(''));
  return results;
}

function expanded(values: readonly (string | readonly string[])[], inQuotes: boolean): Piece[][] {
  return values.map((value) =>
    typeof value === 'string'
      ? [inQuotes ? quoted(value) : { text: value, quoted: false, splits: true }]
      : [{ text: value.join(' '), quoted: inQuotes, splits: !inQuotes, fields: value }],
  );
}

/** Splits and joins pieces to fields. An expansion that is unquoted and empty leaves no field. */
function toFields(pieces: readonly Piece[], expansion: Expansion): string[] {
  const fields: string[] = [];
  let current: string | undefined;
  const end = (): void => {
    if (current !== undefined) fields.push(current.length > limits.word ? UNKNOWN : current);
    current = undefined;
  };
  for (const piece of pieces) {
    if (piece.fields) {
      piece.fields.forEach((field, index) => {
        if (index > 0) end();
        if (piece.quoted) current = (current ?? '') + field;
        else
          for (const [at, part] of split(field, expansion).entries()) {
            if (at > 0) end();
            if (part) current = (current ?? '') + part;
          }
      });
    } else if (piece.splits) {
      for (const [at, part] of split(piece.text, expansion).entries()) {
        if (at > 0) end();
        if (part) current = (current ?? '') + part;
      }
    } else if (piece.quoted || piece.text) current = (current ?? '') + piece.text;
  }
  end();
  return fields;
}

/** Fields of an unquoted expansion. An empty first or last one means: does not touch its neighbour. */
function split(text: string, expansion: Expansion): string[] {
  const marked = activateGlobs(hasUnknown(text) ? text.replaceAll(UNKNOWN, SPREAD) : text);
  const separators = expansion.scope.get('IFS');
  if (separators === undefined || separators.kind === 'unset') return marked.split(/[ \t\n]+/);
  const characters =
    separators.kind === 'scalar' && separators.alternatives.length === 1 ? (separators.alternatives[0] as string) : ' \t\n';
  if (characters === '') return [marked];
  return marked.split(new RegExp(`[${characters.replace(/[\\\]^-]/g, '\\$&')}]+`));
}
