import { validateOptions } from '@petasos/core/sandbox';
import { defineCommand, jsonOption } from '../args/command.js';
import { loadConfig } from '../config/config.js';
import { sessionSettings } from '../config/settings.js';
import { loadBackend } from '../plugins/load.js';
import type { Context } from '../session/context.js';
import { type ListedSandbox, listSandboxes } from '../session/listing.js';
import { CliError, UsageError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';
import { nearest } from '../ui/nearest.js';

export default defineCommand({
  name: 'rm',
  summary: 'Destroy sandboxes',
  usage: 'NAME…',
  details:
    'By name or id. The sandbox, its processes and its files are gone for good; nothing is destroyed when one of the names is wrong.',
  options: { json: jsonOption },
  words: [1, Number.POSITIVE_INFINITY],
  examples: [
    { line: 'petasos rm default', does: 'the sandbox that is used when no name is given' },
    { line: 'petasos rm --sandbox docker build test', does: 'two of one backend' },
  ],
  async run(context, _values, names) {
    const { sandboxes, failures } = await listSandboxes(context);
    for (const failure of failures) context.stderr.write(`${failure}\n`);
    const chosen = new Set(names.map((name) => pick(sandboxes, name)));
    for (const sandbox of chosen) await destroy(context, sandbox);
    const gone = [...chosen].map(({ listing: { ref } }) => ({ name: ref.name, backend: ref.backend, id: ref.id }));
    if (context.json) writeJson(context, { destroyed: gone });
    else for (const { name, backend } of gone) context.stderr.write(`Destroyed ${name} (${backend}).\n`);
    return exitStatus.ok;
  },
});

function pick(sandboxes: readonly ListedSandbox[], name: string): ListedSandbox {
  const matches = sandboxes.filter(({ listing: { ref } }) => ref.name === name || ref.id === name);
  const [only, another] = matches;
  if (only === undefined) {
    const close = nearest(
      name,
      sandboxes.map(({ listing }) => listing.ref.name),
    );
    throw new CliError(`there is no sandbox ${JSON.stringify(name)}`, {
      code: 'sandbox-not-found',
      remedy: close === undefined ? 'petasos ls lists them.' : `Did you mean ${close}?`,
    });
  }
  if (another !== undefined) {
    const backends = matches.map(({ listing }) => listing.ref.backend).join(', ');
    throw new UsageError(`several sandboxes are named ${JSON.stringify(name)} (${backends})`, 'Say which with --sandbox, or give its id.');
  }
  return only;
}

async function destroy(context: Context, { backend: found, listing }: ListedSandbox): Promise<void> {
  const { options } = sessionSettings(await loadConfig(context), found.name);
  const backend = await loadBackend(found);
  await backend.destroy(await validateOptions(backend, options), listing.ref, { env: context.env, platform: process.platform });
}
