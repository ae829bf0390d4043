import { defineCommand, jsonOption } from '../args/command.js';
import { parseDuration } from '../args/duration.js';
import { destroySandbox } from '../session/destroy-sandbox.js';
import { isOwn, type ListedSandbox, listSandboxes } from '../session/listing.js';
import { exitStatus } from '../ui/exit-status.js';
import { formatAge } from '../ui/format.js';
import { writeJson } from '../ui/json.js';
import { describeError, errorLine } from '../ui/report-error.js';
import { table } from '../ui/table.js';
import { oneLine } from '../ui/text.js';

export default defineCommand({
  name: 'prune',
  summary: 'Destroy sandboxes that nobody uses any more; without --yes it only shows them',
  usage: '[options]',
  details:
    'Those that are stopped or gone; with --older-than those that were made before, whatever their state.\n' +
    'Only your own: what other users or machines made in a shared place is counted and left alone, without --all.',
  options: {
    all: { type: 'boolean', help: 'those that other users or machines made, too' },
    yes: { type: 'boolean', short: 'y', help: 'destroy them' },
    'older-than': { type: 'string', value: '7d', help: 'made longer ago than this' },
    json: jsonOption,
  },
  words: [0, 0],
  examples: [
    { line: 'petasos prune --older-than 7d', does: 'what would be destroyed' },
    { line: 'petasos prune --older-than 7d --yes', does: 'destroy it' },
  ],
  async run(context, values) {
    const olderMs = values['older-than'] === undefined ? undefined : parseDuration(values['older-than'], '--older-than');
    const { sandboxes, failures } = await listSandboxes(context);
    const everybodys = sandboxes.filter(({ listing: { state, createdAt } }) =>
      olderMs === undefined ? state === 'stopped' || state === 'gone' : Date.now() - createdAt.getTime() > olderMs,
    );
    const unused = values.all ? everybodys : everybodys.filter(isOwn);
    const spared = everybodys.length - unused.length;
    const problems = [...failures];
    const destroyed: ListedSandbox[] = [];
    if (values.yes) {
      for (const sandbox of unused) {
        // One that cannot be destroyed must not keep the others.
        await destroySandbox(context, sandbox).then(
          () => destroyed.push(sandbox),
          (error: unknown) => problems.push(errorLine(describeError(error))),
        );
      }
    }
    if (context.json)
      writeJson(context, { dry: !values.yes, unused: unused.map(shown), destroyed: destroyed.map(shown), spared, problems });
    else {
      const rows = unused.map(({ listing: { ref, state, createdAt } }) => [
        oneLine(ref.name),
        ref.backend,
        state,
        formatAge(Date.now() - createdAt.getTime()),
      ]);
      const head = ['NAME', 'BACKEND', 'STATE', 'AGE'].map((title) => context.style(context.stdout).bold(title));
      if (rows.length > 0) context.stdout.write(table([head, ...rows]));
      const closing = values.yes
        ? `Destroyed ${destroyed.length}.`
        : `${unused.length} would be destroyed${unused.length > 0 ? '; do it with --yes' : ''}.`;
      context.stderr.write(`${closing}\n`);
      if (spared > 0) context.stderr.write(`note: ${spared} of other users or machines left alone; --all takes them, too\n`);
      for (const problem of problems) context.stderr.write(`${problem}\n`);
    }
    return problems.length === 0 ? exitStatus.ok : exitStatus.failed;
  },
});

function shown({ listing: { ref, state, createdAt } }: ListedSandbox): object {
  return { name: ref.name, backend: ref.backend, id: ref.id, state, createdAt };
}
