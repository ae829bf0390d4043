import type { Sandbox } from '@petasos/core';
import { defineCommand, jsonOption } from '../args/command.js';
import { inSandbox, namedSandboxes } from '../session/sandbox-reference.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';
import { oneLine } from '../ui/text.js';

export default defineCommand({
  name: 'stop',
  summary: 'Pause sandboxes: their files stay, and they cost less or nothing',
  usage: '[options] NAME…',
  details: 'The next command resumes one by itself. A place that cannot pause says so.',
  options: { json: jsonOption },
  words: [1, Number.POSITIVE_INFINITY],
  examples: [{ line: 'petasos stop default', does: 'rest until the next command' }],
  async run(context, _values, names) {
    const chosen = await namedSandboxes(context, names);
    const stopped: object[] = [];
    for (const listed of chosen) {
      const { ref, state } = listed.listing;
      const outcome = state === 'paused' || state === 'stopped' ? 'it rested already' : outcomes[await inSandbox(context, listed, pause)];
      stopped.push({ name: ref.name, backend: ref.backend, id: ref.id });
      if (!context.json) context.stderr.write(`Stopped ${oneLine(ref.name)} (${ref.backend}): ${outcome}.\n`);
    }
    if (context.json) writeJson(context, { stopped });
    return exitStatus.ok;
  },
});

const outcomes = {
  memory: 'its files stay, and its processes wait',
  disk: 'its files stay, and its processes have ended',
};

async function pause(sandbox: Sandbox): Promise<keyof typeof outcomes> {
  await sandbox.pause();
  return sandbox.capabilities.pause || 'disk';
}
