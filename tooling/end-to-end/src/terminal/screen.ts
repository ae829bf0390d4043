import type xterm from '@xterm/headless';

/** Characters of one look, side by side. */
export interface Run {
  readonly text: string;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly inverse: boolean;
  /** One of the sixteen colours; undefined: the terminal's own. */
  readonly colour: number | undefined;
}

export interface Screen {
  readonly columns: number;
  /** Without the empty lines at the end. */
  readonly lines: readonly (readonly Run[])[];
  readonly text: string;
}

export function readScreen(terminal: xterm.Terminal): Screen {
  const buffer = terminal.buffer.active;
  const lines: Run[][] = [];
  for (let row = 0; row < terminal.rows; row += 1) {
    const line = buffer.getLine(buffer.viewportY + row);
    const runs: Run[] = [];
    for (let column = 0; line !== undefined && column < terminal.cols; column += 1) {
      const cell = line.getCell(column);
      if (cell === undefined || cell.getWidth() === 0) continue;
      const look = {
        bold: cell.isBold() !== 0,
        dim: cell.isDim() !== 0,
        inverse: cell.isInverse() !== 0,
        colour: cell.isFgPalette() ? cell.getFgColor() : undefined,
      };
      const text = cell.getChars() || ' ';
      const last = runs.at(-1);
      const same =
        last !== undefined &&
        last.bold === look.bold &&
        last.dim === look.dim &&
        last.inverse === look.inverse &&
        last.colour === look.colour;
      if (same) runs[runs.length - 1] = { ...last, text: last.text + text };
      else runs.push({ text, ...look });
    }
    lines.push(runs);
  }
  const plain = lines.map((runs) =>
    runs
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
  const used = plain.findLastIndex((line) => line !== '') + 1;
  return { columns: terminal.cols, lines: lines.slice(0, used), text: plain.slice(0, used).join('\n') };
}
