import { describe, expect, it } from 'vitest';
import { axisNumber } from '../src/report/format.js';
import { toMarkdown } from '../src/report/markdown.js';
import type { Report } from '../src/report/report.js';
import { toSvg } from '../src/report/svg.js';
import { holds } from '../src/row.js';

const summary = { medianMs: 2, p10Ms: 1, p90Ms: 3, samples: 9 };
const report: Report = {
  place: 'nowhere',
  at: '2020-01-02T03:04:05.000Z',
  effort: 'full',
  machine: { cpu: 'abacus', cores: 1, memoryGiB: 1, os: 'none', node: 'v0' },
  rows: [
    {
      id: 'a',
      what: 'ours',
      against: 'a | b',
      ours: summary,
      theirs: summary,
      figures: [{ label: 'time', value: 1.3, unit: '×', bar: { atMost: 1.2 } }],
    },
    { id: 'b', what: 'a <pipe> & more', against: '–', figures: [{ label: 'throughput', value: 0.9, unit: '×', bar: { atLeast: 0.8 } }] },
  ],
  curves: [
    {
      id: 'c',
      what: 'growth',
      x: 'n',
      y: 'ms',
      lines: [
        {
          label: 'ours',
          points: [
            { x: 1, y: 2 },
            { x: 10, y: 21 },
            { x: 100, y: 190 },
          ],
        },
      ],
    },
  ],
};

describe('a report', () => {
  it('says which bars are met', () => {
    expect(holds({ label: '', value: 1.2, unit: '×', bar: { atMost: 1.2 } })).toBe(true);
    expect(holds({ label: '', value: 0.79, unit: '×', bar: { atLeast: 0.8 } })).toBe(false);
    const text = toMarkdown(report);
    expect(text).toContain('| ours | a \\| b | time 1.30 × | ≤ 1.2 × | **not met** | 2.00 ms | 2.00 ms |');
    expect(text).toContain('| throughput 0.90 × | ≥ 0.8 × | met |');
    expect(text).toContain('| ours (ms) | 2.00 | 21.0 | 190 |');
  });

  it('is drawn as well-formed SVG with a bar for each ratio and a point for each measurement', () => {
    const svg = toSvg(report);
    expect(svg).toContain('a &lt;pipe&gt; &amp; more');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    expect(svg.match(/<circle/g)).toHaveLength(3);
    expect(svg.match(/<rect[^>]+height="18"/g)).toHaveLength(2);
  });

  it('writes short numbers on an axis', () => {
    expect([1, 300, 1000, 10_000, 1024, 1 << 30, 0.5].map(axisNumber)).toEqual(['1', '300', '1 k', '10 k', '1 Ki', '1 Gi', '0.5']);
  });
});
