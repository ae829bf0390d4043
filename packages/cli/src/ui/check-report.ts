import type { CheckFinding } from '@petasos/core';
import type { Style } from './style.js';
import { oneLine } from './text.js';

export interface CheckReport {
  readonly backend: string;
  readonly configured: boolean;
  readonly findings: readonly CheckFinding[];
}

/** What `check` of a backend found, each failure with what to do. */
export function checkReport({ backend, configured, findings }: CheckReport, style: Style): string {
  const marks = { ok: style.green('✓'), warning: style.yellow('!'), failed: style.red('✗') };
  const lines = findings.map(
    ({ status, message, remedy }) => `  ${marks[status]} ${oneLine(message)}\n${remedy === undefined ? '' : `    ${oneLine(remedy)}\n`}`,
  );
  return `${style.bold(backend)}${configured ? ' (configured)' : ''}\n${lines.length === 0 ? '  nothing to check\n' : lines.join('')}`;
}
