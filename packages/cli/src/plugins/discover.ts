import type { Config } from '../config/config.js';
import type { Context } from '../session/context.js';
import { type BackendPackage, type PluginProblem, readManifest } from './manifest.js';
import { conventionalPackages } from './names.js';
import { type Origin, origins, originTitles } from './origins.js';

export interface Discovery {
  readonly backends: readonly BackendPackage[];
  readonly problems: readonly PluginProblem[];
}

/** Every backend that is installed, and every package that wanted to be one and cannot. Imports nothing. */
export async function discoverBackends(context: Context, config: Config): Promise<Discovery> {
  const readings = await Promise.all(origins(context, config).map(readOrigin));
  const taken = new Map<string, BackendPackage>();
  const problems: PluginProblem[] = [];
  const seen = new Set<string>();
  for (const reading of readings) {
    for (const problem of reading.problems) if (firstTime(seen, problem.directory)) problems.push(problem);
    for (const backend of reading.backends) {
      if (!firstTime(seen, backend.entry)) continue;
      const holder = taken.get(backend.name);
      if (holder === undefined) taken.set(backend.name, backend);
      else problems.push(clash(backend, holder));
    }
  }
  if ([...taken.values()].some(({ origin }) => origin === 'user')) {
    // A plugin directory that cannot be written is told by the import that fails.
    await (await import('./own-core.js')).linkCore(context.paths.pluginDirectory).catch(() => {});
  }
  return { backends: [...taken.values()].sort((a, b) => a.name.localeCompare(b.name)), problems };
}

/** The same order as a look-up by name has: packages named after their backend first, then by package name. */
async function readOrigin(origin: Origin): Promise<Discovery> {
  const readings = await Promise.all(
    (await origin.candidates()).map(({ directory, packageName, expected }) => readManifest(directory, packageName, origin.kind, expected)),
  );
  const backends = readings.flatMap((reading) => (reading.kind === 'backend' ? [reading.backend] : []));
  const rank = (backend: BackendPackage) => (conventionalPackages(backend.name).includes(backend.packageName) ? 0 : 1);
  // A list in the configuration is an order that a person chose.
  if (origin.kind !== 'config') backends.sort((a, b) => rank(a) - rank(b) || a.packageName.localeCompare(b.packageName));
  // A package named in the configuration is looked for in several places; it is missing only if it is in none.
  const present = new Set(readings.flatMap((reading) => (reading.kind === 'backend' ? [reading.backend.packageName] : [])));
  const problems: PluginProblem[] = [];
  for (const reading of readings) {
    if (reading.kind !== 'problem' || present.has(reading.problem.packageName)) continue;
    present.add(reading.problem.packageName);
    problems.push(reading.problem);
  }
  return { backends, problems };
}

function clash(backend: BackendPackage, holder: BackendPackage): PluginProblem {
  const { name, packageName, directory, origin } = backend;
  return {
    name,
    packageName,
    directory,
    origin,
    reason: `the name "${name}" is taken by ${holder.packageName} (${originTitles[holder.origin]})`,
    remedy: 'Remove one of them, or name the one you want in plugins in the configuration.',
  };
}

function firstTime(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}
