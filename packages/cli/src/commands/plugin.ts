import { join } from 'node:path';
import { defineCommand, defineGroup, jsonOption } from '../args/command.js';
import { loadConfig } from '../config/config.js';
import { discoverBackends } from '../plugins/discover.js';
import { type BackendPackage, readManifest } from '../plugins/manifest.js';
import { backendNameShape, knownBackends, nameRefusal } from '../plugins/names.js';
import { PluginDirectory } from '../plugins/npm.js';
import { originTitles } from '../plugins/origins.js';
import type { Context } from '../session/context.js';
import { CliError, UsageError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';
import { table } from '../ui/table.js';
import { oneLine } from '../ui/text.js';

const add = defineCommand({
  name: 'add',
  summary: 'Install a backend for yourself, from the registry, a tarball or a folder',
  usage: '[options] PACKAGE',
  details:
    "It goes to your own plugin directory, with npm and without running the package's install scripts. What is no backend of this\n" +
    'contract is taken out again. A short name such as docker stands for the package that Petasos publishes.',
  options: { json: jsonOption },
  words: [1, 1],
  examples: [
    { line: 'petasos plugin add docker', does: "one of Petasos' own" },
    { line: 'petasos plugin add petasos-backend-acme@1.2.0', does: "somebody else's" },
    { line: 'petasos plugin add ./petasos-backend-acme-1.2.0.tgz', does: 'one that is not published' },
  ],
  async run(context, _values, [word = '']) {
    const plugins = new PluginDirectory(context, context.paths.pluginDirectory);
    const before = await plugins.packages();
    const specifier = Object.hasOwn(knownBackends, word) ? (knownBackends[word]?.packageName ?? word) : absolute(context, word);
    await plugins.add([specifier]);
    const after = await plugins.packages();
    const fresh = after.filter((name) => !before.includes(name));
    // Added once more, perhaps in another version: then its name is in the word.
    const names = fresh.length > 0 ? fresh : after.filter((name) => specifier === name || specifier.startsWith(`${name}@`));
    const accepted: BackendPackage[] = [];
    for (const name of names) {
      const reading = await readManifest(join(plugins.directory, 'node_modules', name), name, 'user', true);
      if (reading.kind === 'backend') {
        accepted.push(reading.backend);
        continue;
      }
      if (fresh.includes(name)) await plugins.remove([name]);
      const { reason, remedy } = reading.kind === 'problem' ? reading.problem : { reason: 'it is not a backend', remedy: undefined };
      throw new CliError(`${name} was not added: ${reason}`, { code: 'backend-unusable', remedy });
    }
    const installed = accepted.map(({ name, packageName, version }) => ({ name, packageName, version }));
    if (context.json) writeJson(context, { added: installed, directory: plugins.directory });
    else
      for (const { name, packageName, version } of installed)
        context.stderr.write(`Added ${packageName} ${version}. Next: petasos setup ${name}\n`);
    return exitStatus.ok;
  },
});

const ls = defineCommand({
  name: 'ls',
  summary: 'List packages of backends, where each was found, and what is wrong with those that cannot be used',
  usage: '[options]',
  options: { json: jsonOption },
  words: [0, 0],
  examples: [{ line: 'petasos plugin ls', does: 'nothing of the packages is run' }],
  async run(context) {
    const { backends, problems } = await discoverBackends(context, await loadConfig(context));
    if (context.json) {
      writeJson(context, { plugins: backends, problems });
      return exitStatus.ok;
    }
    const style = context.style(context.stdout);
    const rows = backends.map(({ name, packageName, version, origin, directory }) => [
      style.bold(name),
      packageName,
      oneLine(version),
      originTitles[origin],
      style.dim(oneLine(directory)),
    ]);
    context.stdout.write(table(rows));
    for (const { packageName, reason, remedy } of problems) context.stderr.write(`${oneLine(`${packageName}: ${reason}. ${remedy}`)}\n`);
    return exitStatus.ok;
  },
});

const remove = defineCommand({
  name: 'rm',
  summary: 'Remove backends that petasos plugin add installed',
  usage: '[options] NAME…',
  details: 'By package, or by the name of the backend. Sandboxes of it stay; list and destroy them first.',
  options: { json: jsonOption },
  words: [1, Number.POSITIVE_INFINITY],
  examples: [{ line: 'petasos plugin rm acme', does: 'out of your plugin directory' }],
  async run(context, _values, words) {
    const plugins = new PluginDirectory(context, context.paths.pluginDirectory);
    const packages = await plugins.packages();
    const readings = await Promise.all(
      packages.map(async (packageName) => ({
        packageName,
        reading: await readManifest(join(plugins.directory, 'node_modules', packageName), packageName, 'user', true),
      })),
    );
    const chosen = words.map((word) => {
      const match = readings.find(
        ({ packageName, reading }) => packageName === word || (reading.kind === 'backend' && reading.backend.name === word),
      );
      if (match !== undefined) return match.packageName;
      throw new CliError(`petasos plugin add did not install ${word}`, {
        code: 'plugin-not-found',
        remedy: 'petasos plugin ls shows where each backend comes from; others are removed with the package manager that installed them.',
      });
    });
    await plugins.remove(chosen);
    if (context.json) writeJson(context, { removed: chosen });
    else context.stderr.write(`Removed ${chosen.join(', ')}.\n`);
    return exitStatus.ok;
  },
});

const create = defineCommand({
  name: 'new',
  summary: 'Write the beginning of a backend of your own into a new folder',
  usage: '[options] NAME [DIRECTORY]',
  details: 'A package that runs commands on this machine and keeps the contract: exchange, piece by piece, how a process is started.',
  options: { json: jsonOption },
  words: [1, 2],
  examples: [{ line: 'petasos plugin new acme', does: 'the folder petasos-backend-acme, and what to type next' }],
  async run(context, _values, [name = '', directory]) {
    if (!backendNameShape.test(name))
      throw new UsageError(
        `${JSON.stringify(name)} cannot be the name of a backend`,
        'Use lower-case letters, digits and dashes, at most 32.',
      );
    const packageName = `petasos-backend-${name}`;
    const refusal = nameRefusal(name, packageName);
    if (refusal !== undefined) throw new UsageError(refusal, 'Choose another name.');
    const { writeScaffold } = await import('../plugins/scaffold.js');
    const target = directory ?? packageName;
    const files = await writeScaffold(context, name, packageName, target);
    if (context.json) writeJson(context, { name, packageName, directory: target, files });
    else context.stderr.write(`Wrote ${target}. Next:\n  cd ${target} && npm install && npm run build && petasos conformance .\n`);
    return exitStatus.ok;
  },
});

export default defineGroup({
  name: 'plugin',
  summary: 'Add, remove and write backends',
  commands: [add, ls, remove, create],
  examples: [{ line: 'petasos plugin add docker', does: 'then: petasos setup docker' }],
});

/** npm runs in the plugin directory, so that a relative path would mean something else there. */
function absolute({ cwd }: Context, word: string): string {
  return word.startsWith('.') ? join(cwd, word) : word;
}
