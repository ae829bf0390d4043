import type { AuditItem } from '@petasos/core';
import { defineCommand } from '../args/command.js';
import { parseDuration } from '../args/duration.js';
import type { Context } from '../session/context.js';
import { exitStatus } from '../ui/exit-status.js';
import { formatDuration } from '../ui/format.js';
import type { Style } from '../ui/style.js';
import { oneLine } from '../ui/text.js';

export default defineCommand({
  name: 'audit',
  summary: 'Show what ran and what was refused',
  usage: '[options]',
  details: 'Oldest first. Secrets are redacted as far as they can be recognised.',
  options: {
    since: { type: 'string', value: '1d', help: 'only what is not older than this' },
    denied: { type: 'boolean', help: 'only what was refused' },
    json: { type: 'boolean', help: 'print one JSON object a line' },
  },
  words: [0, 0],
  examples: [
    { line: 'petasos audit --denied --since 1d', does: 'what was refused today' },
    { line: 'petasos audit --json | jq \'select(.decision.by == "approver")\'', does: 'what people were asked' },
  ],
  async run(context, values) {
    const since = values.since === undefined ? undefined : new Date(Date.now() - parseDuration(values.since, '--since'));
    const { openApprovalState } = await import('@petasos/core/approvals');
    const { audit } = openApprovalState(context.paths.stateDirectory);
    const style = context.style(context.stdout);
    let shown = 0;
    let damaged = 0;
    for await (const item of audit?.read({ since, denied: values.denied }) ?? []) {
      if (item.kind === 'problem') {
        damaged += 1;
        context.stderr.write(`petasos: ${item.file}:${item.line}: this record ${item.message}. The others are shown.\n`);
        continue;
      }
      shown += 1;
      await write(context, context.json ? `${JSON.stringify(item)}\n` : itemText(item, style));
    }
    if (shown === 0 && !context.json) context.stderr.write('There are no records.\n');
    return damaged > 0 ? exitStatus.failed : exitStatus.ok;
  },
});

/** A record can be longer than memory: what reads us sets the pace. */
async function write({ stdout }: Context, text: string): Promise<void> {
  if (!stdout.write(text)) await new Promise((resolve) => stdout.once('drain', resolve));
}

function itemText({ decision, end }: Extract<AuditItem, { kind: 'command' }>, style: Style): string {
  const { place, answer } = decision;
  const paint = { allowed: style.green, denied: style.red, aborted: style.yellow }[decision.outcome] ?? style.dim;
  const time = decision.time.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
  const who = answer === undefined ? decision.by : `${answer.by} (${answer.choice})`;
  const ended =
    end === undefined
      ? ''
      : `  ${end.ended === 'exited' ? `exit ${end.exitCode}` : end.ended}, ${formatDuration(end.durationMs)}, ${end.stdoutBytes + end.stderrBytes} bytes` +
        `${end.costUsd === undefined ? '' : `, about $${end.costUsd.toFixed(4)}`}`;
  const [finding] = decision.findings.filter((one) => one.severity !== 'allow');
  const why = finding === undefined ? '' : `    ${style.dim(oneLine(`${finding.rule}: ${finding.reason}`))}\n`;
  const reason = answer?.reason === undefined ? '' : `    ${style.dim(oneLine(`said: ${answer.reason}`))}\n`;
  return (
    `${style.dim(time)}  ${paint(decision.outcome.padEnd(7))}  ${oneLine(`${place.backend}/${place.name}`)}  by ${oneLine(who)}${ended}\n` +
    `    ${oneLine(decision.command)}\n${why}${reason}`
  );
}
