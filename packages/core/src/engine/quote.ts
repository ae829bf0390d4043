import { PetasosError } from '../contract/index.js';

/**
 * One shell word with exactly this value, on one line: a control line ends at a newline, so newlines come from a variable
 * that the scripts define.
 */
export function quote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`).replaceAll('\n', `'"$petasos_nl"'`)}'`;
}

/** The bytes in the notation of `printf %b`, on one line and free of NUL. */
export function escapeForPrintf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x5c && byte !== 0x27;
    text += plain ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, '0')}`;
  }
  return text;
}

/** @throws `invalid-request` for a NUL, which no argument and no variable can carry. */
export function refuseNul(value: string, what: string): void {
  if (value.includes('\0')) throw new PetasosError('invalid-request', `${what} contains a NUL character`);
}
