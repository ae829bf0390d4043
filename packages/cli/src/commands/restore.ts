import { defineCommand, jsonOption } from '../args/command.js';
import { findExisting } from '../session/existing-sandbox.js';
import { openSandbox, resolveTarget } from '../session/open-sandbox.js';
import { CliError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';

export default defineCommand({
  name: 'restore',
  summary: 'Start a new sandbox from a snapshot',
  usage: '[options] SNAPSHOT NAME',
  details: 'In the configured place, or with --sandbox in another: that of the snapshot. NAME must be free. Several can start from one.',
  options: { json: jsonOption },
  words: [2, 2],
  examples: [
    {
      line: 'petasos restore --sandbox docker petasos-snapshot:4f1c20d38ab97e56 again',
      does: 'then: petasos run --sandbox docker --name again -- ls',
    },
  ],
  async run(context, _values, [snapshot = '', name = '']) {
    const target = await resolveTarget(context);
    // To open it would wake it.
    if (await findExisting(context, target, name)) throw taken(target.found.name, name);
    const sandbox = await openSandbox(context, target, { name, from: snapshot });
    const { origin, id, backend } = sandbox;
    await sandbox.close();
    // Somebody else has made it since.
    if (origin === 'attached') throw taken(backend, name);
    if (context.json) writeJson(context, { name, backend, id, from: snapshot });
    else context.stderr.write(`Restored into ${name} (${backend}).\n`);
    return exitStatus.ok;
  },
});

function taken(backend: string, name: string): CliError {
  return new CliError(`${backend}: there is a sandbox ${JSON.stringify(name)} already; nothing was restored`, {
    code: 'sandbox-exists',
    remedy: 'Give a name that is free, or destroy it with petasos rm.',
  });
}
