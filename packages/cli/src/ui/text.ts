/** Control characters but line feed and tab, and those that reorder text: from elsewhere they could repaint the terminal. */
const control = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** Text from elsewhere (a plugin, a place, a file), made harmless for a terminal. */
function printable(text: string): string {
  return text.replace(control, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);
}

/** The same on one line. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s*\r?\n\s*/g, ' ').trim());
}
