import { defineCommand, jsonOption } from '../args/command.js';
import { inSandbox, namedSandboxes } from '../session/sandbox-reference.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';
import { oneLine } from '../ui/text.js';

export default defineCommand({
  name: 'snapshot',
  summary: 'Keep the files of a sandbox as they are, and print the id to start from',
  usage: '[options] NAME',
  details: 'What runs in it goes on. How long a snapshot is kept is up to the place: some remove it with the sandbox.',
  options: { json: jsonOption },
  words: [1, 1],
  examples: [{ line: 'id=$(petasos snapshot default)', does: 'then: petasos restore "$id" again' }],
  async run(context, _values, names) {
    const [listed] = await namedSandboxes(context, names);
    if (listed === undefined) return exitStatus.failed;
    const { ref } = listed.listing;
    const id = await inSandbox(context, listed, (sandbox) => sandbox.snapshot());
    if (context.json) writeJson(context, { id, sandbox: { name: ref.name, backend: ref.backend, id: ref.id } });
    else {
      context.stdout.write(`${oneLine(id)}\n`);
      if (context.stderr.isTTY) context.stderr.write(`Start from it: petasos restore --sandbox ${ref.backend} ${oneLine(id)} NAME\n`);
    }
    return exitStatus.ok;
  },
});
