import { stripVTControlCharacters } from 'node:util';
import { wrap } from './wrap.js';

const gap = '  ';
/** Less beside the other columns is no text any more. */
const leastRoom = 20;

/**
 * Columns padded to their widest cell, two spaces apart. The last column is never padded; where it goes beyond `within`, it is broken at
 * blanks and goes on below itself. Cells may carry colours, the last only if it is not to be broken.
 * @returns lines without trailing spaces, each with a line feed
 */
export function table(rows: readonly (readonly string[])[], within = Number.POSITIVE_INFINITY): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) => Math.max(...rows.map((row) => visibleWidth(row[column] ?? ''))));
  return rows
    .flatMap((row) => {
      const before = row.slice(0, -1).map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - visibleWidth(cell)) + gap);
      const indent = visibleWidth(before.join(''));
      const last = row.at(-1) ?? '';
      const fits = within - indent < leastRoom || indent + visibleWidth(last) <= within;
      const [first = '', ...rest] = fits ? [last] : wrap(last, within - indent);
      return [before.join('') + first, ...rest.map((line) => ' '.repeat(indent) + line)];
    })
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function visibleWidth(cell: string): number {
  return [...stripVTControlCharacters(cell)].length;
}
