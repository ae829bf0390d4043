import type { Span } from '@petasos/core';
import type { Style } from './style.js';

export interface CommandViewOptions {
  readonly columns: number;
  readonly style: Style;
  /** Rows above this are left out where nothing is marked. Absent: everything is shown. */
  readonly mostRows?: number | undefined;
}

export interface CommandView {
  /** Each with a line feed. */
  readonly text: string;
  /** How many rows were left out. */
  readonly hiddenRows: number;
}

/** A character, or what stands for one that cannot be seen. */
interface Cell {
  readonly shown: string;
  readonly width: number;
  readonly marked: boolean;
  readonly standIn: boolean;
}

const margin = '  ';
const wrapped = '    ';
/** A blank run of this length could push what follows out of sight. */
const longBlank = 12;
const unseen = /^(?:[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs})$/u;
const combining = /^\p{M}$/u;
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation})$/u;

/**
 * A command as it will run, for a person to judge: nothing in it can hide or repaint, lines are broken instead of cut, and
 * carets stand under the dangerous parts.
 */
export function commandView(command: string, marks: readonly Span[], options: CommandViewOptions): CommandView {
  const rows: Row[] = [];
  for (const { text, start } of linesOf(command)) rows.push(...rowsOf(cellsOf(text, start, marks), options.columns));
  const keep = rowsToShow(rows, options.mostRows ?? Number.POSITIVE_INFINITY);
  let text = '';
  let left = 0;
  for (const [index, row] of rows.entries()) {
    if (!keep(index)) {
      left += 1;
      continue;
    }
    if (left > 0) text += leftOut(left, options.style);
    left = 0;
    text += printRow(row, options.style);
  }
  if (left > 0) text += leftOut(left, options.style);
  return { text, hiddenRows: rows.filter((_row, index) => !keep(index)).length };
}

function linesOf(command: string): { readonly text: string; readonly start: number }[] {
  let start = 0;
  return command.split('\n').map((text) => {
    const line = { text, start };
    start += text.length + 1;
    return line;
  });
}

function cellsOf(line: string, start: number, marks: readonly Span[]): Cell[] {
  const cells: Cell[] = [];
  let at = start;
  for (const [piece] of line.matchAll(/ +|[\s\S]/gu)) {
    const marked = marks.some((mark) => mark.start < at + piece.length && at < mark.end);
    at += piece.length;
    if (piece.length >= longBlank && piece.startsWith(' ')) cells.push(standIn(`<${piece.length} blanks>`, marked));
    else if (piece.startsWith(' ')) for (const shown of piece) cells.push({ shown, width: 1, marked, standIn: false });
    else if (piece === '\t') cells.push(standIn('<tab>', marked));
    else if (unseen.test(piece))
      cells.push(standIn(`<U+${(piece.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`, marked));
    else cells.push({ shown: piece, width: combining.test(piece) ? 0 : wide.test(piece) ? 2 : 1, marked, standIn: false });
  }
  return cells;
}

function standIn(shown: string, marked: boolean): Cell {
  return { shown, width: shown.length, marked, standIn: true };
}

interface Row {
  readonly indent: string;
  readonly cells: readonly Cell[];
}

function rowsOf(cells: readonly Cell[], columns: number): Row[] {
  const rows: Row[] = [];
  let indent = margin;
  let row: Cell[] = [];
  let width = 0;
  for (const cell of cells) {
    if (row.length > 0 && indent.length + width + cell.width > columns) {
      rows.push({ indent, cells: row });
      indent = wrapped;
      row = [];
      width = 0;
    }
    row.push(cell);
    width += cell.width;
  }
  return [...rows, { indent, cells: row }];
}

/** The beginning, the end, and every marked row with its neighbours. */
function rowsToShow(rows: readonly Row[], most: number): (index: number) => boolean {
  if (rows.length <= most) return () => true;
  const keep = new Set<number>();
  const half = Math.floor(most / 2);
  for (let index = 0; index < half; index += 1) keep.add(index).add(rows.length - 1 - index);
  for (const [index, row] of rows.entries()) {
    if (row.cells.some((cell) => cell.marked))
      keep
        .add(index - 1)
        .add(index)
        .add(index + 1);
  }
  return (index) => keep.has(index);
}

function printRow({ indent, cells }: Row, style: Style): string {
  const text = cells.map((cell) => (cell.standIn ? style.inverse(cell.shown) : cell.marked ? style.red(cell.shown) : cell.shown)).join('');
  if (!cells.some((cell) => cell.marked)) return `${indent}${text}`.trimEnd().concat('\n');
  const carets = cells.map((cell) => (cell.marked ? '^' : ' ').repeat(cell.width)).join('');
  return `${indent}${text}\n${indent}${style.red(carets.trimEnd())}\n`;
}

function leftOut(rows: number, style: Style): string {
  return `${margin}${style.dim(`… ${rows} more ${rows === 1 ? 'line' : 'lines'} without anything to decide`)}\n`;
}
