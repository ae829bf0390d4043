import type { Finding } from '@petasos/core';
import type { Style } from './style.js';
import { oneLine } from './text.js';
import { wrap } from './wrap.js';

const mostFindings = 6;

/** One line a reason, the strictest first, wrapped. */
export function findingsView(
  findings: readonly Finding[],
  { columns, style }: { readonly columns: number; readonly style: Style },
): string {
  const paint = { deny: style.red, ask: style.yellow, allow: style.dim };
  let text = '';
  for (const finding of findings.slice(0, mostFindings)) {
    const via = finding.via.length === 0 ? '' : `, through ${finding.via.join(', ')}`;
    const lines = wrap(oneLine(`${sentence(finding.reason)} (${finding.rule}${via})`), columns - 4);
    text += lines.map((line, index) => `${index === 0 ? `  ${paint[finding.severity]('!')} ` : '    '}${line}\n`).join('');
    if (finding.alternative !== undefined) {
      text += wrap(oneLine(`Less harmful: ${finding.alternative}`), columns - 4)
        .map((line) => `    ${line}\n`)
        .join('');
    }
  }
  const more = findings.length - mostFindings;
  return more > 0 ? `${text}    and ${more} more\n` : text;
}

function sentence(reason: string): string {
  const text = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
