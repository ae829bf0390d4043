import { defineCommand, jsonOption } from '../args/command.js';
import { destroySandbox } from '../session/destroy-sandbox.js';
import { namedSandboxes } from '../session/sandbox-reference.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';

export default defineCommand({
  name: 'rm',
  summary: 'Destroy sandboxes',
  usage: '[options] NAME…',
  details:
    'By name, or by id as petasos ls shows it. The sandbox, its processes and its files are gone for good, in some places its snapshots, too.\n' +
    'Nothing is destroyed when one of the names is wrong.',
  options: { json: jsonOption },
  words: [1, Number.POSITIVE_INFINITY],
  examples: [
    { line: 'petasos rm default', does: 'the sandbox that is used when no name is given' },
    { line: 'petasos rm --sandbox docker build test', does: 'two of one backend' },
  ],
  async run(context, _values, names) {
    const chosen = await namedSandboxes(context, names);
    for (const sandbox of chosen) await destroySandbox(context, sandbox);
    const gone = chosen.map(({ listing: { ref } }) => ({ name: ref.name, backend: ref.backend, id: ref.id }));
    if (context.json) writeJson(context, { destroyed: gone });
    else for (const { name, backend } of gone) context.stderr.write(`Destroyed ${name} (${backend}).\n`);
    return exitStatus.ok;
  },
});
