import type { Capabilities } from '../contract/index.js';
import type { Concern } from './scenario.js';

/** `not-declared`: the capability is not declared and the opposite holds, or the subject lacks the hook for the fault. */
export type ScenarioStatus = 'passed' | 'failed' | 'not-declared';

export interface ScenarioResult {
  readonly id: string;
  readonly rule: string;
  readonly concern: Concern;
  readonly title: string;
  readonly status: ScenarioStatus;
  /** What was seen: why it failed, or why it did not apply. Empty for a plain pass. */
  readonly observed: string;
  readonly notes: readonly string[];
  readonly ms: number;
}

export interface ConformanceReport {
  readonly backend: string;
  readonly contract: number;
  readonly capabilities: Capabilities;
  readonly startedAt: Date;
  readonly ms: number;
  readonly results: readonly ScenarioResult[];
  readonly passed: number;
  readonly failed: number;
  readonly notDeclared: number;
}

export function summarize(
  head: Pick<ConformanceReport, 'backend' | 'contract' | 'capabilities' | 'startedAt' | 'ms'>,
  results: readonly ScenarioResult[],
): ConformanceReport {
  const count = (status: ScenarioStatus) => results.filter((result) => result.status === status).length;
  return { ...head, results, passed: count('passed'), failed: count('failed'), notDeclared: count('not-declared') };
}

/** `conformance 74/74, 5 not declared`. */
export function badgeText(report: ConformanceReport): string {
  const rest = report.notDeclared === 0 ? '' : `, ${report.notDeclared} not declared`;
  return `conformance ${report.passed}/${report.passed + report.failed}${rest}`;
}

/** A flat SVG badge. */
export function badgeSvg(report: ConformanceReport): string {
  const [label, value] = ['conformance', badgeText(report).slice('conformance '.length)];
  const left = 10 + label.length * 7;
  const right = 10 + value.length * 7;
  const color = report.failed === 0 ? '#2e7d32' : '#c62828';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${badgeText(report)}">`,
    `<rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${color}"/>`,
    `<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">`,
    `<text x="${left / 2}" y="14">${label}</text><text x="${left + right / 2}" y="14">${value}</text></g></svg>`,
    '',
  ].join('\n');
}

const marks: Record<ScenarioStatus, string> = { passed: 'pass', failed: 'FAIL', 'not-declared': 'n/d ' };

/** A table for a terminal: one line a scenario, what was observed below it. */
export function formatText(report: ConformanceReport): string {
  const width = Math.max(0, ...report.results.map((result) => result.id.length));
  const lines = report.results.flatMap((result) => {
    const time = `${Math.round(result.ms)} ms`.padStart(9);
    const below = [result.observed, ...result.notes.map((note) => `note: ${note}`)].filter((text) => text !== '');
    return [
      `${marks[result.status]}  ${result.id.padEnd(width)}  ${time}  ${result.title}`,
      ...below.map((text) => `        ${text.replaceAll('\n', '\n        ')}`),
    ];
  });
  return [...lines, '', `${report.backend}: ${badgeText(report)}, ${(report.ms / 1000).toFixed(1)} s`, ''].join('\n');
}

export function formatJson(report: ConformanceReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

export function formatMarkdown(report: ConformanceReport): string {
  const rows = report.results.map((result) => {
    const cells = [
      result.concern,
      `\`${result.id}\``,
      result.title,
      result.status,
      [result.observed, ...result.notes].filter(Boolean).join('; '),
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  });
  return [
    `# ${report.backend}: ${badgeText(report)}`,
    '',
    '| concern | scenario | what holds | status | observed |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
