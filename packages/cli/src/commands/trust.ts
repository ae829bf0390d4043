import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { defineCommand, jsonOption } from '../args/command.js';
import { exists } from '../config/exists.js';
import { fileFingerprint, projectFileName } from '../config/project.js';
import { realDirectory, setTrust, trustedProjects } from '../config/trust.js';
import { readManifest } from '../plugins/manifest.js';
import { dependencyNames } from '../plugins/origins.js';
import type { Context } from '../session/context.js';
import { canAsk, confirm } from '../ui/ask.js';
import { CliError, UsageError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';
import { oneLine } from '../ui/text.js';

export default defineCommand({
  name: 'trust',
  summary: "Let a project's own settings and backends count",
  usage: '[options] [DIRECTORY]',
  details:
    'Until then its petasos.yaml may only tighten: stricter approvals, smaller limits, less network. Trust holds for the file as it is\n' +
    'now and for the backends among its dependencies; after a change it is asked for again.',
  options: {
    yes: { type: 'boolean', short: 'y', help: 'do not ask' },
    remove: { type: 'boolean', help: 'take the trust away' },
    list: { type: 'boolean', help: 'list trusted projects' },
    json: jsonOption,
  },
  words: [0, 1],
  examples: [
    { line: 'petasos trust', does: 'the project of this directory: shows what it asks for first' },
    { line: 'petasos trust --remove ~/work/site', does: 'no longer' },
  ],
  async run(context, values, [word]) {
    if (values.list) return list(context);
    const directory = await realDirectory(word === undefined ? await projectDirectory(context) : resolve(context.cwd, word));
    if (!(await isDirectory(directory))) throw new UsageError(`there is no directory ${directory}`);
    if (values.remove) {
      await setTrust(context.paths, directory, undefined);
      if (context.json) writeJson(context, { directory, trusted: false });
      else context.stderr.write(`${directory} is not trusted.\n`);
      return exitStatus.ok;
    }
    const path = join(directory, projectFileName);
    const file = (await exists(path)) ? path : undefined;
    const backends = await backendDependencies(directory);
    if (file === undefined && backends.length === 0) {
      throw new CliError(`${directory} has nothing to trust: no ${projectFileName}, and no backend among its dependencies`, {
        code: 'nothing-to-trust',
        remedy: 'Name the directory of the project.',
      });
    }
    // Read before it is shown, so that exactly what was seen is what is trusted.
    const sha256 = await fileFingerprint(file);
    if (file !== undefined) await (await import('../config/file.js')).readConfigFile(file);
    if (!values.yes) await askForTrust(context, directory, file, backends);
    await setTrust(context.paths, directory, { directory, sha256, backends });
    if (context.json) writeJson(context, { directory, trusted: true, backends });
    else context.stderr.write(`${directory} is trusted.\n`);
    return exitStatus.ok;
  },
});

async function list(context: Context): Promise<number> {
  const projects = await trustedProjects(context.paths);
  if (context.json) writeJson(context, { projects });
  else if (projects.length === 0) context.stderr.write('No project is trusted.\n');
  else context.stdout.write(projects.map(({ directory }) => `${oneLine(directory)}\n`).join(''));
  return exitStatus.ok;
}

async function askForTrust(context: Context, directory: string, file: string | undefined, backends: readonly string[]): Promise<void> {
  const text = file === undefined ? '' : await readFile(file, 'utf8');
  const shown = text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${oneLine(line.replace(/^ +/, (blanks) => '\u00a0'.repeat(blanks.length)))}\n`)
    .join('');
  if (file !== undefined) context.stderr.write(`${file}:\n${shown}`);
  if (backends.length > 0) context.stderr.write(`Its packages ${backends.join(', ')} may then run as backends.\n`);
  if (!canAsk(context)) throw new UsageError('trust needs somebody to answer', 'Look at the file, then: petasos trust --yes');
  if (!(await confirm(context, `Trust ${directory}?`, false))) {
    throw new CliError(`${directory} stays untrusted`, { code: 'declined' });
  }
}

/** The nearest directory with a `petasos.yaml`, else the nearest with a `package.json`. */
async function projectDirectory({ cwd }: Context): Promise<string> {
  for (const name of [projectFileName, 'package.json']) {
    for (let directory = cwd; ; directory = dirname(directory)) {
      if (await exists(join(directory, name))) return directory;
      if (directory === dirname(directory)) break;
    }
  }
  return cwd;
}

async function backendDependencies(directory: string): Promise<string[]> {
  const names = (await dependencyNames(join(directory, 'package.json'))) ?? [];
  const readings = await Promise.all(
    names.map(async (name) => ({ name, reading: await readManifest(join(directory, 'node_modules', name), name, 'project', false) })),
  );
  return readings.flatMap(({ name, reading }) => (reading.kind === 'backend' ? [name] : [])).sort();
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}
