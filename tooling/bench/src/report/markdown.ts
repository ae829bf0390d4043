import { holds } from '../row.js';
import { barText, figureText, number } from './format.js';
import type { Report } from './report.js';

export function toMarkdown({ place, at, effort, machine, rows, curves }: Report): string {
  const lines = [
    `# Petasos on ${place}`,
    '',
    `${at.slice(0, 10)}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.os}, Node ${machine.node}. Every ratio is one of medians that were`,
    `measured in turns in one run${effort === 'full' ? '' : ` (effort: ${effort}; not for a comparison)`}; times alone say little on another machine.`,
    '',
    '| what | against | figure | bar | | ours (median) | theirs (median) |',
    '|---|---|---|---|---|---|---|',
  ];
  for (const row of rows) {
    for (const figure of row.figures) {
      const cells = [
        row.what,
        row.against,
        `${figure.label} ${figureText(figure)}`,
        barText(figure.bar, figure.unit),
        holds(figure) ? 'met' : '**not met**',
        row.ours ? `${number(row.ours.medianMs)} ms` : '–',
        row.theirs ? `${number(row.theirs.medianMs)} ms` : '–',
      ];
      lines.push(`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
    }
  }
  for (const curve of curves) {
    const xs = curve.lines[0]?.points.map(({ x }) => x) ?? [];
    lines.push('', `## How it grows: ${curve.what}`, '', `| ${curve.x} | ${xs.join(' | ')} |`, `|---|${xs.map(() => '---').join('|')}|`);
    for (const { label, points } of curve.lines)
      lines.push(`| ${label.replaceAll('|', '\\|')} (${curve.y}) | ${points.map(({ y }) => number(y)).join(' | ')} |`);
  }
  return `${lines.join('\n')}\n`;
}
