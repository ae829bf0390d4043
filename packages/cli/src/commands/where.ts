import { defineCommand, jsonOption, nameOption } from '../args/command.js';
import { defaultName, openSandbox, resolveTarget, startDirectory } from '../session/open-sandbox.js';
import { forwardSignals } from '../session/signals.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';
import { placementText } from '../ui/placement.js';
import { widthOf } from '../ui/width.js';

export default defineCommand({
  name: 'where',
  summary: 'Show where commands would run and what they could reach there',
  usage: '[options]',
  details: 'It opens the sandbox, and runs none of your commands. Variables are shown by name, never by value.',
  options: { name: nameOption, json: jsonOption },
  words: [0, 0],
  examples: [
    { line: 'petasos where', does: 'the configured place' },
    { line: 'petasos where --sandbox docker --json', does: 'another place, for a program' },
  ],
  async run(context, values) {
    const signals = forwardSignals();
    const target = await resolveTarget(context);
    const sandbox = await openSandbox(context, target, { name: values.name ?? defaultName, signal: signals.aborted });
    try {
      const placement = await sandbox.placement();
      const startsIn = startDirectory(context, target) ?? placement.workdir;
      const chosen = target.config.get('sandbox');
      const notices = [...target.config.notices, ...target.settings.notices];
      if (context.json) {
        writeJson(context, { ...placement, startsIn, chosenBy: chosen?.where, origin: sandbox.origin, notices });
      } else {
        const style = context.style(context.stdout);
        context.stdout.write(
          placementText(
            placement,
            {
              startsIn,
              chosenBy: chosen?.where ?? 'default',
              packageName: target.found.packageName,
              version: target.found.version,
              columns: widthOf(context.stdout) ?? Number.POSITIVE_INFINITY,
            },
            style,
          ),
        );
        for (const notice of notices) context.stderr.write(`note: ${notice}\n`);
      }
      return exitStatus.ok;
    } finally {
      await sandbox.close();
      signals.release();
    }
  },
});
