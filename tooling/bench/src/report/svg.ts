import type { CurveResult, RowResult } from '../row.js';
import { holds } from '../row.js';
import { axisNumber, barText, figureText } from './format.js';
import type { Report } from './report.js';

const width = 860;
const margin = 24;
const ink = '#1f2933';
const faint = '#9aa5b1';
const good = '#2f7d5b';
const bad = '#b3261e';
const colors = ['#2f7d5b', '#8a5a00', '#3b5b92'];

/** A chart that reads alone on a page: ratios with their bars above, growth below. */
export function toSvg(report: Report): string {
  const ratios = ratioBars(report.rows, 64);
  const charts = growthCharts(report.curves, ratios.bottom + 24);
  const height = charts.bottom + margin;
  const { machine } = report;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="13" fill="${ink}" role="img">`,
    `<title>${escaped(`Petasos on ${report.place}, beside the bare tool`)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(margin, 30, `Petasos on ${report.place}, beside the bare tool`, { size: 17 }),
    text(margin, 50, `${report.at.slice(0, 10)} · ${machine.cores} cores · Node ${machine.node} · medians measured in turns`, {
      fill: faint,
      size: 12,
    }),
    ...ratios.parts,
    ...charts.parts,
    '</svg>',
    '',
  ].join('\n');
}

interface Block {
  readonly parts: readonly string[];
  readonly bottom: number;
}

function ratioBars(rows: readonly RowResult[], top: number): Block {
  const left = 330;
  const right = width - 150;
  const lineHeight = 30;
  const bars = rows.flatMap((row) => row.figures.filter(({ unit }) => unit === '×').map((figure) => ({ row, figure })));
  const limit = ({ figure }: (typeof bars)[number]) => ('atMost' in figure.bar ? figure.bar.atMost : figure.bar.atLeast);
  const most = Math.max(1, ...bars.flatMap((entry) => [entry.figure.value, limit(entry)])) * 1.08;
  const x = (value: number) => left + ((right - left) * value) / most;
  const parts = bars.flatMap((entry, index) => {
    const y = top + index * lineHeight;
    const color = holds(entry.figure) ? good : bad;
    return [
      text(left - 10, y + 17, `${entry.row.what} – ${entry.figure.label}`, { anchor: 'end' }),
      `<rect x="${left}" y="${y + 4}" width="${(x(entry.figure.value) - left).toFixed(1)}" height="18" rx="2" fill="${color}"/>`,
      `<line x1="${x(limit(entry)).toFixed(1)}" x2="${x(limit(entry)).toFixed(1)}" y1="${y}" y2="${y + 26}" stroke="${ink}" stroke-width="2"/>`,
      text(right + 10, y + 17, `${figureText(entry.figure)} (${barText(entry.figure.bar, '×')})`, { size: 12 }),
    ];
  });
  return { parts, bottom: top + bars.length * lineHeight };
}

function growthCharts(curves: readonly CurveResult[], top: number): Block {
  const columns = 2;
  const gap = 44;
  const chartWidth = (width - 2 * margin - gap * (columns - 1)) / columns;
  const chartHeight = 230;
  const parts = curves.flatMap((curve, index) => {
    const x = margin + (index % columns) * (chartWidth + gap);
    const y = top + Math.floor(index / columns) * (chartHeight + 20);
    return growthChart(curve, { x, y, width: chartWidth, height: chartHeight });
  });
  return { parts, bottom: top + Math.ceil(curves.length / columns) * (chartHeight + 20) };
}

/** Both axes are logarithmic: a straight line of slope one is a cost that grows with the amount. */
function growthChart(curve: CurveResult, frame: { x: number; y: number; width: number; height: number }): string[] {
  const points = curve.lines.flatMap((line) => line.points);
  const plot = { left: frame.x + 44, right: frame.x + frame.width - 8, top: frame.y + 30, bottom: frame.y + frame.height - 56 };
  const x = scale(
    points.map((point) => point.x),
    plot.left,
    plot.right,
  );
  const y = scale(
    points.map((point) => point.y),
    plot.bottom,
    plot.top,
  );
  const xs = curve.lines[0]?.points.map((point) => point.x) ?? [];
  const shown = xs.filter((_, index) => index === 0 || index === xs.length - 1 || index === Math.floor(xs.length / 2));
  return [
    text(frame.x, frame.y + 14, curve.what, { size: 13 }),
    `<rect x="${plot.left}" y="${plot.top}" width="${plot.right - plot.left}" height="${plot.bottom - plot.top}" fill="none" stroke="${faint}" stroke-width="0.6"/>`,
    ...decades(points.map((point) => point.y)).flatMap((value) => [
      `<line x1="${plot.left}" x2="${plot.right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}" stroke="${faint}" stroke-width="0.4"/>`,
      text(plot.left - 6, y(value) + 4, axisNumber(value), { anchor: 'end', size: 11 }),
    ]),
    ...shown.map((value) => text(x(value), plot.bottom + 15, axisNumber(value), { anchor: 'middle', size: 11 })),
    text(plot.right, plot.bottom + 30, `${curve.x} → ${curve.y}`, { anchor: 'end', size: 11, fill: faint }),
    ...curve.lines.flatMap((line, index) => {
      const color = colors[index % colors.length] ?? ink;
      const path = line.points.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(' ');
      return [
        `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>`,
        ...line.points.map((point) => `<circle cx="${x(point.x).toFixed(1)}" cy="${y(point.y).toFixed(1)}" r="2.6" fill="${color}"/>`),
        `<rect x="${plot.left + index * 128}" y="${plot.bottom + 38}" width="10" height="10" fill="${color}"/>`,
        text(plot.left + index * 128 + 15, plot.bottom + 47, line.label, { size: 11 }),
      ];
    }),
  ];
}

function scale(values: readonly number[], from: number, to: number): (value: number) => number {
  const low = Math.log10(Math.min(...values));
  const high = Math.log10(Math.max(...values));
  // At least a decade, so that noise does not look like a slope.
  const span = Math.max(high - low, 1) * 1.16;
  const start = (low + high - span) / 2;
  return (value) => from + ((Math.log10(value) - start) / span) * (to - from);
}

/** Powers of ten between the values, and the nearest one where there is none between. */
function decades(values: readonly number[]): number[] {
  const low = Math.ceil(Math.log10(Math.min(...values)));
  const high = Math.floor(Math.log10(Math.max(...values)));
  if (low > high) return [Math.min(...values), Math.max(...values)];
  return Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
}

function text(x: number, y: number, content: string, options: { anchor?: 'end' | 'middle'; size?: number; fill?: string } = {}): string {
  const { anchor, size, fill } = options;
  const attributes = [anchor ? ` text-anchor="${anchor}"` : '', size ? ` font-size="${size}"` : '', fill ? ` fill="${fill}"` : ''].join('');
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${attributes}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
