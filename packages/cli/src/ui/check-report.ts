import type { CheckFinding } from '@petasos/core';
import type { Style } from './style.js';
import { oneLine } from './text.js';
import { wrap } from './wrap.js';

export interface CheckReport {
  readonly backend: string;
  readonly configured: boolean;
  readonly findings: readonly CheckFinding[];
}

/**
 * What `check` of a backend found, each failure with what to do.
 * @param columns width of the terminal; undefined: it goes elsewhere, a line each
 */
export function checkReport({ backend, configured, findings }: CheckReport, style: Style, columns = Number.POSITIVE_INFINITY): string {
  const marks = { ok: style.green('✓'), warning: style.yellow('!'), failed: style.red('✗') };
  const lines = findings.flatMap(({ status, message, remedy }) => {
    const [first = '', ...rest] = wrap(oneLine(message), columns - 4);
    const further = [...rest, ...(remedy === undefined ? [] : wrap(oneLine(remedy), columns - 4))];
    return [`  ${marks[status]} ${first}\n`, ...further.map((line) => `    ${line}\n`)];
  });
  return `${style.bold(backend)}${configured ? ' (configured)' : ''}\n${lines.length === 0 ? '  nothing to check\n' : lines.join('')}`;
}
