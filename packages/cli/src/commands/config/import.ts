import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { defineCommand, jsonOption } from '../../args/command.js';
import { rulesFromPatterns } from '../../hermes/approvals.js';
import { type HermesHome, hermesHome, readHermesHome } from '../../hermes/read-home.js';
import type { Context } from '../../session/context.js';
import { rulesDirectory } from '../../session/rules.js';
import { CliError } from '../../ui/errors.js';
import { exitStatus } from '../../ui/exit-status.js';
import { writeJson } from '../../ui/json.js';
import { table } from '../../ui/table.js';
import { oneLine } from '../../ui/text.js';

export default defineCommand({
  name: 'import',
  summary: 'Take over the terminal settings of Hermes Agent; without --yes it only shows them',
  usage: '[options] [DIRECTORY]',
  details:
    'DIRECTORY is the home of Hermes with config.yaml and .env; default: HERMES_HOME, else ~/.hermes. It is only read. What Petasos does not\n' +
    'honour is named. Of the variables, only those that Petasos or its backends read are taken.',
  options: {
    yes: { type: 'boolean', short: 'y', help: 'write it' },
    json: jsonOption,
  },
  words: [0, 1],
  examples: [
    { line: 'petasos config import', does: 'what would be written' },
    { line: 'petasos config import ~/.hermes --yes', does: 'write it' },
  ],
  async run(context, values, [word]) {
    const directory = word === undefined ? hermesHome(context.env) : resolve(context.cwd, word);
    const found = await readHermesHome(directory, context.env);
    if (found.files.length === 0) {
      throw new CliError(`${directory} has neither config.yaml nor .env`, {
        code: 'nothing-to-import',
        remedy: 'Name the home of Hermes.',
      });
    }
    const rules = await rulesFromPatterns(found.allow, found.deny, join(directory, 'config.yaml'));
    const refusedRules = rules.refused.map(({ written, why }) => `${written}: ${why}`);
    // A pattern that forbids and cannot be said as a rule must not fall away: then only what rules allow runs.
    const strict = rules.refused.some(({ written }) => found.deny.some((pattern) => written === `Bash(${pattern})`));
    const settings = strict
      ? [
          ...found.settings.filter(({ key }) => key !== 'approvals.mode'),
          { key: 'approvals.mode', value: 'strict', from: 'a pattern of approvals.deny that cannot be said as a rule' },
        ]
      : found.settings;
    const ruleFile = join(rulesDirectory(context.paths), 'hermes.yaml');
    const imported = { ...found, settings, refused: [...found.refused, ...refusedRules], notes: [...found.notes, ...rules.warnings] };
    if (values.yes) {
      await write(context, imported);
      if (rules.rules.length > 0) {
        const { formatRules } = await import('@petasos/core/approvals');
        await mkdir(rulesDirectory(context.paths), { recursive: true, mode: 0o700 });
        await writeFile(ruleFile, `# imported from ${oneLine(directory)}\n${await formatRules(rules.rules)}`, { mode: 0o600 });
      }
    }
    if (context.json) writeJson(context, shown(imported, rules.rules, values.yes));
    else tell(context, imported, rules.rules.length, values.yes);
    return exitStatus.ok;
  },
});

async function write(context: Context, { settings, secrets }: HermesHome): Promise<void> {
  const { editConfig, setValue } = await import('../../config/edit.js');
  if (secrets.size > 0) {
    const { editEnvFile } = await import('../../config/env-edit.js');
    await editEnvFile(context.paths.envFile, Object.fromEntries([...secrets].map(([name, { value }]) => [name, value])));
  }
  for (const { key, value } of settings) await editConfig(context.paths.configFile, setValue(key, value));
}

/** Secrets by name alone. */
function shown(found: HermesHome, rules: readonly unknown[], written: boolean): object {
  const { files, settings, secrets, refused, notes, otherSections } = found;
  return { files, settings, secrets: [...secrets.keys()], rules, refused, notes, otherSections, written };
}

function tell(context: Context, found: HermesHome, rules: number, written: boolean): void {
  const style = context.style(context.stdout);
  const rows = [
    ...found.settings.map(({ key, value, from }) => [
      style.bold(key),
      oneLine(typeof value === 'string' ? value : JSON.stringify(value)),
      style.dim(oneLine(from)),
    ]),
    ...[...found.secrets].map(([name, { from }]) => [style.bold(name), '(secret)', style.dim(oneLine(from))]),
  ];
  context.stdout.write(table(rows));
  for (const line of found.refused) context.stderr.write(`not taken over: ${oneLine(line)}\n`);
  for (const line of found.notes) context.stderr.write(`note: ${oneLine(line)}\n`);
  if (found.otherSections.length > 0) {
    context.stderr.write(`Not about where commands run, and left alone: ${oneLine(found.otherSections.join(', '))}.\n`);
  }
  const what = `${rows.length} settings${rules > 0 ? ` and ${rules} ${rules === 1 ? 'rule' : 'rules'}` : ''}`;
  context.stderr.write(
    written ? `Wrote ${what} into ${context.paths.configDirectory}.\n` : `${what} would be written; do it with --yes.\n`,
  );
}
