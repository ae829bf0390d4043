import { stripVTControlCharacters } from 'node:util';

/**
 * Columns padded to their widest cell, two spaces apart. The last column is never padded. Cells may carry colours.
 * @returns lines without trailing spaces, each with a line feed
 */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) => Math.max(...rows.map((row) => visibleWidth(row[column] ?? ''))));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - visibleWidth(cell))))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function visibleWidth(cell: string): number {
  return [...stripVTControlCharacters(cell)].length;
}
