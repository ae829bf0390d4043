/**
 * Resolved text carries what cannot be known, or is still a pattern, as characters of a private use area. They survive when text is read
 * again as code (`sh -c "…"`), so that nothing unknown turns into something known on the way. Input is cleaned of them first.
 */
export const UNKNOWN = '\uE000';
/** Unknown and unquoted: may be no word, one word or many. */
export const SPREAD = '\uE001';
export const STAR = '\uE002';
export const QUESTION = '\uE003';
export const OPEN = '\uE004';
export const CLOSE = '\uE005';

const marks = /[\uE000-\uE005]/;
const allMarks = /[\uE000-\uE005]/g;
const unknowns = /[\uE000\uE001]/;
const globs = /[\uE002-\uE005]/;

export const hasMarks = (text: string): boolean => marks.test(text);
export const hasUnknown = (text: string): boolean => unknowns.test(text);
export const hasGlob = (text: string): boolean => globs.test(text);
export const withoutMarks = (text: string): string => (marks.test(text) ? text.replace(allMarks, '\uFFFD') : text);

const shown: Readonly<Record<string, string>> = { [UNKNOWN]: '…', [SPREAD]: '…', [STAR]: '*', [QUESTION]: '?', [OPEN]: '[', [CLOSE]: ']' };

/** The text as a person reads it. */
export const show = (text: string): string => (marks.test(text) ? text.replace(allMarks, (mark) => shown[mark] ?? mark) : text);

/** Wildcards of unquoted text become active. */
export function activateGlobs(text: string): string {
  if (!/[*?[]/.test(text)) return text;
  return text
    .replace(/\[([^\]/]+)\]/g, `${OPEN}$1${CLOSE}`)
    .replace(/\*/g, STAR)
    .replace(/\?/g, QUESTION);
}

/** A quoted or assigned pattern is plain text again. */
export const deactivateGlobs = (text: string): string =>
  globs.test(text) ? text.replace(/[\uE002-\uE005]/g, (mark) => shown[mark] ?? mark) : text;

/**
 * A linear-time test of whether a pattern can match a text without slashes. Unknown parts match anything when `unknownMatches`.
 * Runs of wildcards are merged and everything between two of them is found greedily from the left, so there is no backtracking.
 */
export function canMatch(pattern: string, text: string, unknownMatches = false): boolean {
  if (!marks.test(pattern)) return pattern === text;
  if (!unknownMatches && unknowns.test(pattern)) return false;
  const pieces = pattern.split(/[\uE000\uE001\uE002]+/);
  const first = prefixLength(pieces[0] ?? '', text, 0);
  if (first === undefined) return false;
  if (pieces.length === 1) return first === text.length;
  let at = first;
  for (const piece of pieces.slice(1, -1)) {
    let end: number | undefined;
    for (let start = at; start <= text.length && end === undefined; start++) end = prefixLength(piece, text, start);
    if (end === undefined) return false;
    at = end;
  }
  const last = pieces[pieces.length - 1] ?? '';
  const start = text.length - pieceWidth(last);
  return start >= at && prefixLength(last, text, start) === text.length;
}

/** Where the piece ends when it matches at `start`. */
function prefixLength(piece: string, text: string, start: number): number | undefined {
  let at = start;
  for (let index = 0; index < piece.length; index++) {
    const character = piece[index] as string;
    if (at >= text.length) return undefined;
    if (character === OPEN) {
      const close = piece.indexOf(CLOSE, index);
      const set = piece.slice(index + 1, close < 0 ? piece.length : close);
      if (!inSet(set, text[at] as string)) return undefined;
      index = close < 0 ? piece.length : close;
    } else if (character !== QUESTION && character !== text[at]) return undefined;
    at++;
  }
  return at;
}

function pieceWidth(piece: string): number {
  let width = 0;
  for (let index = 0; index < piece.length; index++, width++) {
    if (piece[index] !== OPEN) continue;
    const close = piece.indexOf(CLOSE, index);
    index = close < 0 ? piece.length : close;
  }
  return width;
}

function inSet(set: string, character: string): boolean {
  const negated = /^[!^]/.test(set);
  const body = negated ? set.slice(1) : set;
  if (body.includes('[:')) return true;
  let found = false;
  for (let index = 0; index < body.length && !found; index++) {
    if (body[index + 1] === '-' && index + 2 < body.length) {
      found = character >= (body[index] as string) && character <= (body[index + 2] as string);
      index += 2;
    } else found = body[index] === character;
  }
  return found !== negated;
}
