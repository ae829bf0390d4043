import { limits } from '../limits.js';
import { activateGlobs } from '../marks.js';
import type { BraceExpansionPart, WordPart } from '../parse.js';

/** A stretch of a word: a part of the tree, or unquoted text that brace expansion cut out. */
export type Stretch = WordPart | { readonly type: 'Text'; readonly value: string; readonly raw: string };

/** Expands `{a,b}` and `{1..3}` before anything else, as bash does. Undefined when it would give too many words. */
export function expandBraces(parts: readonly WordPart[]): Stretch[][] | undefined {
  let words: Stretch[][] = [[]];
  for (const part of parts) {
    const choices = part.type === 'BraceExpansion' ? choicesOf(part) : [[part]];
    if (!choices || words.length * choices.length > limits.words) return undefined;
    words =
      choices.length === 1
        ? words.map((word) => [...word, ...(choices[0] ?? [])])
        : words.flatMap((word) => choices.map((choice) => [...word, ...choice]));
  }
  return words;
}

function choicesOf(part: BraceExpansionPart): Stretch[][] | undefined {
  const range = sequence(part.text);
  if (range !== null) return range?.map((value) => [text(value)]);
  if (!part.parts) return plainChoices(part.text.slice(1, -1));
  const choices: Stretch[][] = [[]];
  const last = (): Stretch[] => choices[choices.length - 1] as Stretch[];
  for (const inner of part.parts) {
    if (inner.type !== 'Literal') {
      last().push(inner);
      continue;
    }
    splitCommas(inner.text).forEach((piece, index) => {
      if (index > 0) choices.push([]);
      if (piece) last().push(text(piece));
    });
  }
  return expandNested(choices);
}

function expandNested(choices: Stretch[][]): Stretch[][] | undefined {
  const all: Stretch[][] = [];
  for (const choice of choices) {
    if (!choice.some((stretch) => stretch.type === 'BraceExpansion')) all.push(choice);
    else {
      let words: Stretch[][] = [[]];
      for (const stretch of choice) {
        const inner = stretch.type === 'BraceExpansion' ? choicesOf(stretch) : [[stretch]];
        if (!inner || words.length * inner.length > limits.words) return undefined;
        words = words.flatMap((word) => inner.map((more) => [...word, ...more]));
      }
      all.push(...words);
    }
    if (all.length > limits.words) return undefined;
  }
  return all;
}

/** Commas at the top level of unquoted text; braces inside keep theirs. */
function splitCommas(value: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let depth = 0;
  for (let index = 0; index < value.length; index++) {
    const character = value[index];
    if (character === '\\') index++;
    else if (character === '{') depth++;
    else if (character === '}') depth--;
    else if (character === ',' && depth <= 0) {
      pieces.push(value.slice(start, index));
      start = index + 1;
    }
  }
  pieces.push(value.slice(start));
  return pieces;
}

function plainChoices(inner: string): Stretch[][] | undefined {
  const choices: Stretch[][] = [];
  for (const piece of splitCommas(inner)) {
    const open = piece.indexOf('{');
    const close = piece.lastIndexOf('}');
    if (open < 0 || close < open) choices.push([text(piece)]);
    else {
      const body = piece.slice(open, close + 1);
      const nested = sequence(body)?.map((value) => [text(value)]) ?? plainChoices(body.slice(1, -1));
      if (!nested) return undefined;
      for (const choice of nested) choices.push([text(piece.slice(0, open)), ...choice, text(piece.slice(close + 1))]);
    }
    if (choices.length > limits.words) return undefined;
  }
  return choices;
}

const text = (raw: string): Stretch => ({ type: 'Text', raw, value: unescaped(raw) });

/** Removes backslashes; wildcards that had none become active. */
function unescaped(raw: string): string {
  if (!raw.includes('\\')) return activateGlobs(raw);
  return raw
    .split(/(\\[\s\S])/)
    .map((piece) => (piece[0] === '\\' ? piece.slice(1) : activateGlobs(piece)))
    .join('');
}

/** Null when the text is no sequence, undefined when it is too long. */
function sequence(value: string): string[] | null | undefined {
  const match = /^\{(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?\}$/.exec(value);
  if (!match) return null;
  const [from, to] = [match[1] as string, match[2] as string];
  const letters = /[A-Za-z]/.test(from) && /[A-Za-z]/.test(to);
  if (!letters && (/[A-Za-z]/.test(from) || /[A-Za-z]/.test(to))) return null;
  const start = letters ? from.charCodeAt(0) : Number(from);
  const end = letters ? to.charCodeAt(0) : Number(to);
  const step = Math.abs(Number(match[3] ?? 1)) || 1;
  if (Math.abs(end - start) / step > limits.words) return undefined;
  const values: string[] = [];
  const direction = end >= start ? step : -step;
  for (let at = start; direction > 0 ? at <= end : at >= end; at += direction) values.push(letters ? String.fromCharCode(at) : String(at));
  return values;
}
