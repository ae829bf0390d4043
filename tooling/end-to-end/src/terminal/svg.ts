import type { Run, Screen } from './screen.js';

const lineHeight = 18;
const cellWidth = 8.4;
const margin = 16;
const palette = ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#79c0ff', '#d2a8ff', '#39c5cf', '#d0d7de'];

/** The screen as a picture that needs no font of its own: every run stands at its column, whatever the width of a character. */
export function screenSvg(screen: Screen, title: string): string {
  const width = Math.ceil(screen.columns * cellWidth + 2 * margin);
  const height = screen.lines.length * lineHeight + 2 * margin;
  const rows = screen.lines.map((runs, index) => rowSvg(runs, margin + (index + 0.75) * lineHeight));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">\n` +
    `<title>${escaped(title)}</title>\n<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>\n` +
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3" xml:space="preserve">\n` +
    `${rows.join('')}</g>\n</svg>\n`
  );
}

function rowSvg(runs: readonly Run[], y: number): string {
  let column = 0;
  let row = '';
  for (const run of runs) {
    const cells = [...run.text].length;
    const x = margin + column * cellWidth;
    column += cells;
    if (run.text.trim() === '' && !run.inverse) continue;
    if (run.inverse)
      row += `<rect x="${x.toFixed(1)}" y="${(y - 13).toFixed(1)}" width="${(cells * cellWidth).toFixed(1)}" height="${lineHeight}" fill="#e6edf3"/>`;
    const fill = run.inverse ? '#0d1117' : run.colour === undefined ? undefined : palette[run.colour % 8];
    const look = [fill && `fill="${fill}"`, run.bold && 'font-weight="700"', run.dim && 'opacity="0.65"'].filter(Boolean).join(' ');
    // The length holds the columns together where the reader's font is wider or narrower.
    row += `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${(cells * cellWidth).toFixed(1)}" lengthAdjust="spacingAndGlyphs"${look === '' ? '' : ` ${look}`}>${escaped(run.text)}</text>`;
  }
  return row === '' ? '' : `${row}\n`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
