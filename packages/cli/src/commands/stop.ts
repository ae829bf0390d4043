import { defineCommand, jsonOption } from '../args/command.js';
import { inSandbox, namedSandboxes } from '../session/sandbox-reference.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';

export default defineCommand({
  name: 'stop',
  summary: 'Pause sandboxes: their files stay, and they cost less or nothing',
  usage: 'NAME…',
  details: 'The next command resumes one by itself. A place that cannot pause says so.',
  options: { json: jsonOption },
  words: [1, Number.POSITIVE_INFINITY],
  examples: [{ line: 'petasos stop default', does: 'rest until the next command' }],
  async run(context, _values, names) {
    const chosen = await namedSandboxes(context, names);
    for (const listed of chosen) await inSandbox(context, listed, (sandbox) => sandbox.pause());
    const stopped = chosen.map(({ listing: { ref } }) => ({ name: ref.name, backend: ref.backend, id: ref.id }));
    if (context.json) writeJson(context, { stopped });
    else for (const { name, backend } of stopped) context.stderr.write(`Stopped ${name} (${backend}).\n`);
    return exitStatus.ok;
  },
});
