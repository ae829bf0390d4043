import { defineCommand, jsonOption } from '../args/command.js';
import { inSandbox, namedSandboxes } from '../session/sandbox-reference.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';

export default defineCommand({
  name: 'resume',
  summary: 'Wake sandboxes that were stopped',
  usage: '[options] NAME…',
  options: { json: jsonOption },
  words: [1, Number.POSITIVE_INFINITY],
  examples: [{ line: 'petasos resume default', does: 'before the first command, so that it need not wait' }],
  async run(context, _values, names) {
    const chosen = await namedSandboxes(context, names);
    for (const listed of chosen) await inSandbox(context, listed, (sandbox) => sandbox.resume());
    const resumed = chosen.map(({ listing: { ref } }) => ({ name: ref.name, backend: ref.backend, id: ref.id }));
    if (context.json) writeJson(context, { resumed });
    else for (const { name, backend } of resumed) context.stderr.write(`Resumed ${name} (${backend}).\n`);
    return exitStatus.ok;
  },
});
