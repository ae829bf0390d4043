import type { Traits } from '@petasos/core';
import { defineCommand, jsonOption } from '../args/command.js';
import { loadConfig } from '../config/config.js';
import { discoverBackends } from '../plugins/discover.js';
import { askIsolated } from '../plugins/isolated.js';
import type { BackendPackage, PluginProblem } from '../plugins/manifest.js';
import { installCommand, knownBackends } from '../plugins/names.js';
import { installationKind, originTitles } from '../plugins/origins.js';
import type { Context } from '../session/context.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';
import type { Style } from '../ui/style.js';
import { table } from '../ui/table.js';
import { oneLine } from '../ui/text.js';
import { widthOf } from '../ui/width.js';
import { wrap } from '../ui/wrap.js';

interface Row {
  readonly backend: BackendPackage;
  readonly traits: Traits;
}

interface Missing {
  readonly name: string;
  readonly title: string;
  readonly packageName: string;
  readonly install: string;
}

export default defineCommand({
  name: 'backends',
  summary: 'List the places that are installed, and those that could be',
  usage: '[options]',
  options: { json: jsonOption },
  words: [0, 0],
  examples: [
    { line: 'petasos backends', does: 'what each place is good for, and how to install the others' },
    { line: 'petasos backends --json', does: 'the same for a program' },
  ],
  async run(context) {
    const config = await loadConfig(context);
    const { backends, problems } = await discoverBackends(context, config);
    const answers = await Promise.all(
      backends.map(async (backend) => ({ backend, answer: await askIsolated(backend, 'traits', {}, context.env) })),
    );
    const rows: Row[] = [];
    const broken: PluginProblem[] = [...problems];
    for (const { backend, answer } of answers) {
      if (answer.ok) rows.push({ backend, traits: answer.value });
      else broken.push({ ...backend, reason: answer.message, remedy: answer.remedy });
    }
    const installation = await installationKind();
    const missing = Object.entries(knownBackends).flatMap(([name, { packageName, title }]): Missing[] => {
      const install = installCommand(name, installation);
      const present = backends.some((backend) => backend.name === name) || problems.some((problem) => problem.name === name);
      return install === undefined || present ? [] : [{ name, title, packageName, install }];
    });
    const configured = String(config.get('sandbox')?.value);
    if (context.json) writeJson(context, json(configured, rows, missing, broken));
    else context.stdout.write(text(context, configured, rows, missing, broken));
    return exitStatus.ok;
  },
});

function json(configured: string, rows: readonly Row[], missing: readonly Missing[], problems: readonly PluginProblem[]): object {
  return {
    configured,
    installed: rows.map(({ backend: { name, packageName, version, contract, origin, directory }, traits }) => ({
      name,
      packageName,
      version,
      contract,
      origin,
      directory,
      traits,
    })),
    notInstalled: missing,
    unusable: problems.map(({ name, packageName, origin, directory, reason, remedy }) => ({
      name,
      packageName,
      origin,
      directory,
      reason,
      remedy,
    })),
  };
}

function text(
  context: Context,
  configured: string,
  rows: readonly Row[],
  missing: readonly Missing[],
  problems: readonly PluginProblem[],
): string {
  const style = context.style(context.stdout);
  const columns = widthOf(context.stdout) ?? Number.POSITIVE_INFINITY;
  const sections = [rows.map((row) => installedText(row, configured, style, columns)).join('\n')];
  if (rows.length === 0) sections[0] = 'No backend is installed.\n';
  if (missing.length > 0) {
    sections.push(
      `${style.bold('Not installed')}\n${table(missing.map(({ name, title }) => [`  ${name}`, title]))}\n${installHint(missing)}`,
    );
  }
  if (problems.length > 0) {
    const lines = problems.map(
      ({ packageName, origin, reason, remedy }) =>
        `  ${style.red('✗')} ${wrap(oneLine(`${packageName} (${originTitles[origin]}): ${reason}. ${remedy}`), columns - 4).join('\n    ')}\n`,
    );
    sections.push(`${style.bold('Cannot be used')}\n${lines.join('')}`);
  }
  return sections.join('\n');
}

function installedText({ backend, traits }: Row, configured: string, style: Style, columns: number): string {
  const mark = backend.name === configured ? style.green('*') : ' ';
  const title = oneLine(traits.title);
  const about = `${backend.packageName} ${backend.version}, contract ${backend.contract}, ${originTitles[backend.origin]}`;
  const fits = `  ${backend.name}  ${title}  ${about}`.length <= columns;
  const beside = fits
    ? `  ${style.dim(about)}`
    : wrap(about, columns - 4)
        .map((line) => `\n    ${style.dim(line)}`)
        .join('');
  const facts: [string, string][] = [
    ['isolation', traits.isolation],
    ['start-up', traits.startup],
    ['cost', traits.cost],
    ['persistence', traits.persistence],
    ['good for', traits.goodFor],
  ];
  const rows = facts.map(([name, value]) => [`    ${name}`, oneLine(value)]);
  return `${mark} ${style.bold(backend.name)}  ${title}${beside}\n${table(rows, columns)}`;
}

/** All install commands differ in the package's name alone, so one line stands for them. */
function installHint(missing: readonly Missing[]): string {
  const first = missing[0];
  return first === undefined ? '' : `Install one with, for example: ${first.install}\n`;
}
