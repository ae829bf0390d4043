import { defineCommand, jsonOption } from '../args/command.js';
import { openSandbox, resolveTarget } from '../session/open-sandbox.js';
import { CliError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';

export default defineCommand({
  name: 'restore',
  summary: 'Start a new sandbox from a snapshot',
  usage: '[options] SNAPSHOT NAME',
  details: 'NAME must be free. The snapshot stays, so that several can start from it.',
  options: { json: jsonOption },
  words: [2, 2],
  examples: [{ line: 'petasos restore --sandbox docker 4f1c… again', does: 'then: petasos run --sandbox docker --name again -- ls' }],
  async run(context, _values, [snapshot = '', name = '']) {
    const target = await resolveTarget(context);
    const sandbox = await openSandbox(context, target, { name, from: snapshot });
    const { origin, id, backend } = sandbox;
    await sandbox.close();
    if (origin === 'attached') {
      throw new CliError(`${backend}: there is a sandbox ${JSON.stringify(name)} already; nothing was restored`, {
        code: 'sandbox-exists',
        remedy: 'Give a name that is free, or destroy it with petasos rm.',
      });
    }
    if (context.json) writeJson(context, { name, backend, id, from: snapshot });
    else context.stderr.write(`Restored into ${name} (${backend}).\n`);
    return exitStatus.ok;
  },
});
