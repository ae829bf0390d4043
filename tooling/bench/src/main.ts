import { mkdir, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureIsolated } from './isolated.js';
import { places } from './places.js';
import { barText, figureText } from './report/format.js';
import { toMarkdown } from './report/markdown.js';
import { type Report, thisMachine } from './report/report.js';
import { toSvg } from './report/svg.js';
import { type CurveResult, type Effort, holds, type RowResult } from './row.js';

const usage = `usage: pnpm bench PLACE [--quick] [--only ID,…] [--out DIRECTORY]
places: ${Object.keys(places).join(', ')}
Build first. Writes PLACE.json, PLACE.md and PLACE.svg; exit status 1 when a bar is not met.`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' }, out: { type: 'string', default: '.bench' } },
});

const [place = ''] = positionals;
const measured = places[place];
if (measured === undefined || positionals.length !== 1) {
  console.error(usage);
  process.exit(2);
}
const ids = values.only?.split(',');
const wanted = ({ id }: { id: string }) => ids === undefined || ids.some((only) => id.endsWith(only));
const effort: Effort = values.quick ? 'quick' : 'full';

let failed = 0;
const rows: RowResult[] = [];
for (const { id } of measured.rows.filter(wanted)) {
  const row = await measureIsolated<RowResult>({ place, id, effort });
  if (row === undefined) failed += 1;
  else rows.push(row);
  for (const figure of row?.figures ?? []) {
    if (!holds(figure)) failed += 1;
    console.log(
      `${row?.what}: ${figure.label} ${figureText(figure)} (bar ${barText(figure.bar, figure.unit)}${holds(figure) ? '' : ', NOT MET'})`,
    );
  }
}
const curves: CurveResult[] = [];
for (const { id } of measured.curves.filter(wanted)) {
  const curve = await measureIsolated<CurveResult>({ place, id, effort });
  if (curve === undefined) failed += 1;
  else curves.push(curve);
  for (const line of curve?.lines ?? []) {
    console.log(
      `${curve?.what}, ${line.label} (${curve?.y}): ${line.points.map((point) => `${point.x}: ${point.y.toFixed(2)}`).join(', ')}`,
    );
  }
}

const report: Report = { place, at: new Date().toISOString(), effort, machine: thisMachine(), rows, curves };
const directory = resolve(values.out);
await mkdir(directory, { recursive: true });
await writeFile(resolve(directory, `${place}.json`), `${JSON.stringify(report, null, 2)}\n`);
await writeFile(resolve(directory, `${place}.md`), toMarkdown(report));
await writeFile(resolve(directory, `${place}.svg`), toSvg(report));
console.log(`written: ${resolve(directory, place)}.{json,md,svg}`);
process.exitCode = failed === 0 ? 0 : 1;
