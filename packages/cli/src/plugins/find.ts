import type { Config } from '../config/config.js';
import type { Context } from '../session/context.js';
import { CliError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { discoverBackends } from './discover.js';
import { type BackendPackage, type PluginProblem, readManifest } from './manifest.js';
import { conventionalPackages, installCommand, knownBackends, nearestBackend } from './names.js';
import { installationKind, type Origin, origins } from './origins.js';

/**
 * The package of one backend. A backend whose package is named after it is found by a look at that one path, so that
 * the number of installed packages does not matter.
 * @throws CliError that says how to install it, or why it cannot be used
 */
export async function findBackend(context: Context, config: Config, name: string): Promise<BackendPackage> {
  let problem: PluginProblem | undefined;
  for (const origin of origins(context, config)) {
    const byConvention = await search(
      origin,
      name,
      conventionalPackages(name).flatMap((packageName) => origin.located(packageName)),
    );
    if (byConvention.found !== undefined) return withCore(context, byConvention.found);
    problem ??= byConvention.problem;
    // Nobody else may carry a name of Petasos' own, so there is nothing to search for.
    if (Object.hasOwn(knownBackends, name)) continue;
    const anywhere = await search(origin, name, await origin.candidates());
    if (anywhere.found !== undefined) return withCore(context, anywhere.found);
    problem ??= anywhere.problem;
  }
  if (problem !== undefined) throw unusable(problem);
  throw await notInstalled(context, config, name);
}

/** A plugin directory that cannot be written is told by the import that fails. */
async function withCore({ paths }: Context, found: BackendPackage): Promise<BackendPackage> {
  if (found.origin === 'user') await (await import('./own-core.js')).linkCore(paths.pluginDirectory).catch(() => {});
  return found;
}

async function search(
  origin: Origin,
  name: string,
  candidates: Awaited<ReturnType<Origin['candidates']>>,
): Promise<{ found?: BackendPackage | undefined; problem?: PluginProblem | undefined }> {
  const readings = await Promise.all(
    candidates.map(({ directory, packageName, expected }) => readManifest(directory, packageName, origin.kind, expected)),
  );
  const found = readings.flatMap((reading) => (reading.kind === 'backend' && reading.backend.name === name ? [reading.backend] : []));
  if (origin.kind !== 'config') found.sort((a, b) => a.packageName.localeCompare(b.packageName));
  const problems = readings.flatMap((reading) => (reading.kind === 'problem' && reading.problem.name === name ? [reading.problem] : []));
  return { found: found[0], problem: problems[0] };
}

function unusable(problem: PluginProblem): CliError {
  return new CliError(`${problem.name ?? problem.packageName}: ${problem.packageName} cannot be used: ${problem.reason}`, {
    status: exitStatus.placeFailed,
    code: 'backend-unusable',
    remedy: problem.remedy,
  });
}

export async function notInstalled(context: Context, config: Config, name: string): Promise<CliError> {
  const install = installCommand(name, await installationKind());
  if (install !== undefined) {
    return new CliError(`the backend ${name} is not installed`, {
      status: exitStatus.placeFailed,
      code: 'backend-not-installed',
      remedy: `Install it: ${install}`,
    });
  }
  const { backends, problems } = await discoverBackends(context, config);
  const installed = backends.map((backend) => backend.name);
  const close = nearestBackend(name, installed);
  const hint =
    problems.length === 0
      ? 'petasos backends lists what there is.'
      : 'petasos backends lists what there is, and which packages cannot be used.';
  const remedy = close === undefined ? hint : `Did you mean ${close}?`;
  return new CliError(`no backend is named ${JSON.stringify(name)}`, { status: exitStatus.placeFailed, code: 'backend-unknown', remedy });
}
