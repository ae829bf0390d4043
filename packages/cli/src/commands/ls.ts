import { defineCommand, jsonOption } from '../args/command.js';
import { isOwn, listSandboxes } from '../session/listing.js';
import { exitStatus } from '../ui/exit-status.js';
import { formatAge, shortId } from '../ui/format.js';
import { writeJson } from '../ui/json.js';
import { table } from '../ui/table.js';
import { oneLine } from '../ui/text.js';

export default defineCommand({
  name: 'ls',
  summary: 'List sandboxes',
  usage: '[options]',
  details: 'Over all installed backends, or with --sandbox over one. OWNER is shown where others have sandboxes, too.',
  options: { json: jsonOption },
  words: [0, 0],
  examples: [
    { line: 'petasos ls', does: 'every sandbox, wherever it is' },
    { line: 'petasos ls --sandbox docker --json', does: 'those of one backend, for a program' },
  ],
  async run(context) {
    const { sandboxes, failures } = await listSandboxes(context);
    if (context.json) {
      writeJson(context, {
        sandboxes: sandboxes.map(({ listing: { ref, state, createdAt, owner, labels } }) => ({
          name: ref.name,
          backend: ref.backend,
          id: ref.id,
          state,
          createdAt,
          owner,
          labels,
        })),
        failures,
      });
    } else if (sandboxes.length > 0) {
      const style = context.style(context.stdout);
      const shared = sandboxes.some((sandbox) => !isOwn(sandbox));
      const rows = sandboxes.map(({ listing: { ref, state, createdAt, owner } }) => [
        oneLine(ref.name),
        oneLine(ref.backend),
        state,
        formatAge(Date.now() - createdAt.getTime()),
        ...(shared ? [oneLine(owner)] : []),
        oneLine(shortId(ref.id)),
      ]);
      const titles = ['NAME', 'BACKEND', 'STATE', 'AGE', ...(shared ? ['OWNER'] : []), 'ID'];
      context.stdout.write(table([titles.map((title) => style.bold(title)), ...rows]));
    } else {
      context.stderr.write('There are no sandboxes.\n');
    }
    if (!context.json) for (const failure of failures) context.stderr.write(`${failure}\n`);
    return exitStatus.ok;
  },
});
