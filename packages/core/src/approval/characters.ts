import type { Span } from './verdict.js';

export interface HiddenCharacter {
  readonly span: Span;
  readonly rule: 'raw.control' | 'raw.bidi' | 'raw.invisible' | 'raw.space' | 'raw.surrogate';
  readonly name: string;
}

const control = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;
const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const space = /[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const invisible =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: single code units are meant, joiners among them
  /[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ue000-\ue00f]/;
const suspicious =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: single code units are meant, joiners among them
  /[\0-\x08\x0b-\x1f\x7f-\xa0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\ufffb\ue000-\ue00f\ud800-\udfff]/g;
const pictograph = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;

/** Reported at most this often: one is enough to ask, and more would only fill the prompt. */
const most = 20;

/** Characters that hide from a reader what a shell will do, or that are not what they look like. */
export function hiddenCharacters(text: string): HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  suspicious.lastIndex = 0;
  for (let match = suspicious.exec(text); match && found.length < most; match = suspicious.exec(text)) {
    const start = match.index;
    const code = text.codePointAt(start) as number;
    if (code > 0xffff) {
      suspicious.lastIndex = start + 2;
      if ((code >= 0xe0000 && code <= 0xe0fff) || code === 0x1d173) found.push(hidden(start, 2, 'raw.invisible', code));
      continue;
    }
    const character = match[0];
    if (code >= 0xd800 && code <= 0xdfff) found.push(hidden(start, 1, 'raw.surrogate', code));
    else if (control.test(character)) found.push(hidden(start, 1, 'raw.control', code));
    else if (bidi.test(character)) found.push(hidden(start, 1, 'raw.bidi', code));
    else if (space.test(character)) found.push(hidden(start, 1, 'raw.space', code));
    else if (invisible.test(character) && !joinsEmoji(text, start)) found.push(hidden(start, 1, 'raw.invisible', code));
  }
  return found;
}

/** The zero-width joiner holds emoji such as 👩‍💻 together, where it hides nothing. */
function joinsEmoji(text: string, at: number): boolean {
  if (text[at] !== '\u200d') return false;
  const before = [...text.slice(Math.max(0, at - 2), at)].pop() ?? '';
  const after = [...text.slice(at + 1, at + 3)][0] ?? '';
  return pictograph.test(before) && /[\p{Extended_Pictographic}\u2640\u2642\u2695\u2696\u2708\u2764]/u.test(after);
}

const hidden = (start: number, length: number, rule: HiddenCharacter['rule'], code: number): HiddenCharacter => ({
  span: { start, end: start + length },
  rule,
  name: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`,
});
