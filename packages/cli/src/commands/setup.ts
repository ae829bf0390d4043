import { defineCommand } from '../args/command.js';
import { loadConfig } from '../config/config.js';
import { discoverBackends } from '../plugins/discover.js';
import { findBackend } from '../plugins/find.js';
import { askIsolated } from '../plugins/isolated.js';
import { installCommand, knownBackends } from '../plugins/names.js';
import { installationKind } from '../plugins/origins.js';
import type { Context } from '../session/context.js';
import { prepare, tryOut } from '../setup/trial.js';
import { SetupWizard, writeAnswers } from '../setup/wizard.js';
import { askChoice, confirm, requireTerminal } from '../ui/ask.js';
import { CliError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { describeError, errorLine } from '../ui/report-error.js';
import { oneLine } from '../ui/text.js';

export default defineCommand({
  name: 'setup',
  summary: 'Choose a place and make it work, question by question',
  usage: '[BACKEND]',
  details:
    'It asks what the place needs, checks it, gets it ready, tries it, and writes the configuration at the end. Ctrl-C changes nothing.\n' +
    'Secrets are not shown and go to a file of their own that only you can read.',
  options: {},
  words: [0, 1],
  examples: [
    { line: 'petasos setup', does: 'choose among the places there are' },
    { line: 'petasos setup docker', does: 'one of them' },
  ],
  async run(context, _values, [named]) {
    requireTerminal(context, 'setup', 'Use petasos config set, then petasos doctor.');
    const config = await loadConfig(context);
    const name = named ?? (await pickBackend(context));
    const found = await findBackend(context, config, name);
    const wizard = new SetupWizard(context, config, found);
    const answers = await wizard.ask();
    const ready = wizard.withAnswers();
    const { stderr } = context;
    try {
      if (await prepare(context, ready, found)) stderr.write('It is ready.\n');
      if (await confirm(context, `Try it? A new sandbox is opened in ${name} and removed again.`)) {
        stderr.write(`It works: ${oneLine(await tryOut(context, ready, found))}.\n`);
      }
    } catch (error) {
      stderr.write(`${errorLine(describeError(error))}\n`);
      if (!(await confirm(context, 'It did not work. Write the configuration all the same?', false)))
        throw new CliError('stopped; nothing was changed', { code: 'cancelled' });
    }
    const notices = await writeAnswers(context, name, answers);
    for (const notice of notices) stderr.write(`note: ${notice}\n`);
    stderr.write(`Commands run in ${name} from now on. See where: petasos where\n`);
    return exitStatus.ok;
  },
});

async function pickBackend(context: Context): Promise<string> {
  const config = await loadConfig(context);
  const { backends } = await discoverBackends(context, config);
  const installed = await Promise.all(
    backends.map(async (backend) => {
      const answer = await askIsolated(backend, 'traits', {}, config.hostEnv);
      const label = answer.ok ? `${backend.name}: ${oneLine(answer.value.title)}` : backend.name;
      return { value: backend.name, label, hint: answer.ok ? oneLine(answer.value.goodFor) : 'cannot be used: see petasos backends' };
    }),
  );
  const installation = await installationKind();
  const others = Object.entries(knownBackends)
    .filter(([name]) => !backends.some((backend) => backend.name === name))
    .map(([name, { title }]) => ({
      value: name,
      label: `${name}: ${title}`,
      hint: `not installed: ${installCommand(name, installation) ?? ''}`,
    }));
  const configured = String(config.get('sandbox')?.value);
  return askChoice(context, 'Where should commands run?', [...installed, ...others], configured);
}
