import { limits } from '../limits.js';
import { hasUnknown, UNKNOWN } from '../marks.js';
import { decodeEscapes } from '../resolve/escapes.js';

/** What `printf FORMAT ARG…` writes, with marks where it is unknown. */
export function formatted(words: readonly string[]): string {
  const [format, ...values] = words;
  if (format === undefined) return '';
  if (hasUnknown(format)) return UNKNOWN;
  let result = '';
  let at = 0;
  do {
    const before = at;
    const held: string[] = [];
    result += decodeEscapes(
      format.replace(/%%|%[-+ 0#']*(\*|\d+)?(?:\.(\*|\d+)?)?([a-zA-Z])/g, (whole, _width, precision: string | undefined, kind: string) => {
        if (whole === '%%') return '%';
        const value = values[at++] ?? '';
        // Values must not be read as escapes of the format.
        return `\uF000${held.push(convert(kind, value, precision)) - 1}\uF001`;
      }),
    ).replace(/\uF000(\d+)\uF001/g, (_, index: string) => held[Number(index)] ?? '');
    if (at === before) break;
  } while (at < values.length && result.length < limits.word);
  return result;
}

function convert(kind: string, value: string, precision: string | undefined): string {
  switch (kind) {
    case 's':
      return precision && /^\d+$/.test(precision) && !hasUnknown(value) ? value.slice(0, Number(precision)) : value;
    case 'b':
      return decodeEscapes(value);
    case 'c':
      return hasUnknown(value) ? UNKNOWN : value.slice(0, 1);
    case 'q':
      return hasUnknown(value) || /^[\w./=-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
    case 'd':
    case 'i':
      return /^-?\d+$/.test(value) ? value : UNKNOWN;
    case 'x':
      return /^\d+$/.test(value) ? Number(value).toString(16) : UNKNOWN;
    case 'o':
      return /^\d+$/.test(value) ? Number(value).toString(8) : UNKNOWN;
    default:
      return UNKNOWN;
  }
}
