import { describe, expect, it } from 'vitest';
import { badgeSvg, badgeText, formatJson, formatMarkdown, formatText, type ScenarioResult } from '../../src/conformance/index.js';
import { summarize } from '../../src/conformance/report.js';
import { parseSurvivors } from '../../src/conformance/survivors.js';

const result = (id: string, status: ScenarioResult['status'], observed = '', notes: readonly string[] = []): ScenarioResult => ({
  id,
  rule: 'E1',
  concern: 'text',
  title: `title of ${id} | with a bar`,
  status,
  observed,
  notes,
  ms: 12.4,
});

const capabilities = {
  stdin: 'stream',
  streams: 'separate',
  bytes: 'bytes',
  terminal: false,
  files: 'derived',
  pause: false,
  snapshot: false,
  reattach: true,
  forward: false,
  network: ['open'],
  limits: [],
  gpu: false,
  idleStop: false,
  persistent: true,
  root: false,
} as const;

const head = { backend: 'example', contract: 1, capabilities, startedAt: new Date(0), ms: 1500 };
const report = summarize(head, [
  result('E1.good', 'passed', '', ['worth knowing']),
  result('E1.bad', 'failed', 'line one\nline two'),
  result('E1.other', 'not-declared', 'pause is not declared'),
]);

describe('a report', () => {
  it('counts', () => {
    expect(report).toMatchObject({ passed: 1, failed: 1, notDeclared: 1 });
  });

  it('has a badge that counts what is declared', () => {
    expect(badgeText(report)).toBe('conformance 1/2, 1 not declared');
    expect(badgeText(summarize(head, [result('E1.good', 'passed')]))).toBe('conformance 1/1');
    expect(badgeSvg(report)).toContain('1/2, 1 not declared');
    expect(badgeSvg(report)).toContain('#c62828');
  });

  it('is a table with what was observed below each line', () => {
    expect(formatText(report).split('\n')).toEqual([
      'pass  E1.good       12 ms  title of E1.good | with a bar',
      '        note: worth knowing',
      'FAIL  E1.bad        12 ms  title of E1.bad | with a bar',
      '        line one',
      '        line two',
      'n/d   E1.other      12 ms  title of E1.other | with a bar',
      '        pause is not declared',
      '',
      'example: conformance 1/2, 1 not declared, 1.5 s',
      '',
    ]);
  });

  it('is markdown whose cells cannot break the table', () => {
    const rows = formatMarkdown(report).split('\n');
    expect(rows).toContain('| text | `E1.bad` | title of E1.bad \\| with a bar | failed | line one line two |');
  });

  it('is JSON', () => {
    expect(JSON.parse(formatJson(report))).toMatchObject({ backend: 'example', failed: 1, results: [{ id: 'E1.good' }, {}, {}] });
  });
});

describe('counting survivors', () => {
  it('reads the listing of /proc', () => {
    const listing =
      '==> /proc/1/cmdline <==\n==> /proc/7/cmdline <==\nmark-1\n==> /proc/8/cmdline <==\n==> /proc/7/environ <==\nA=mark-1\nB=mark-1\n';
    expect(parseSurvivors(listing, 'mark-1')).toEqual([
      { pid: 7, found: 'arguments' },
      { pid: 7, found: 'environment' },
    ]);
  });

  it('reads the listing of ps', () => {
    expect(parseSurvivors('  12 sleep 60 MARK=mark-1\n', 'mark-1')).toEqual([{ pid: 12, found: 'arguments' }]);
  });
});
