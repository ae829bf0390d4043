import { existsSync, realpathSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/config.js';
import type { Context } from '../session/context.js';
import type { Installation } from './names.js';

/**
 * Where backends are looked for, first wins. Packages of the current project come last and only once the project is
 * trusted: a repository that somebody cloned must not bring the code that decides where commands run.
 */
export const originOrder = ['config', 'installation', 'user', 'project'] as const;
export type OriginKind = (typeof originOrder)[number];

export const originTitles: Readonly<Record<OriginKind, string>> = {
  config: 'named by plugins in the configuration',
  installation: 'beside the CLI',
  user: "in the user's plugin directory",
  project: 'a dependency of the project',
};

/** A package that may be a backend. */
export interface Candidate {
  readonly packageName: string;
  readonly directory: string;
  /** Somebody named it: that it is missing is worth saying. */
  readonly expected: boolean;
}

export interface Origin {
  readonly kind: OriginKind;
  /** Where a package of this name would be, without looking whether it is there. */
  located(packageName: string): readonly Candidate[];
  /** Every package of the origin. This may read directories, never a package. */
  candidates(): Promise<readonly Candidate[]>;
}

/** A directory of installed packages. */
interface PackageRoot {
  readonly modules: string;
  /** The `package.json` whose dependencies it holds, if there is one. */
  readonly owner: string;
}

/** The CLI's own package, wherever links led to it. */
function cliRoot(): string {
  let directory = dirname(realpathSync(fileURLToPath(import.meta.url)));
  while (!existsSync(join(directory, 'package.json')) && directory !== dirname(directory)) directory = dirname(directory);
  return directory;
}

function installationRoots(): readonly PackageRoot[] {
  const root = cliRoot();
  const roots: PackageRoot[] = [{ modules: join(root, 'node_modules'), owner: join(root, 'package.json') }];
  for (let directory = root; directory !== dirname(directory); directory = dirname(directory)) {
    if (basename(directory) === 'node_modules') roots.push({ modules: directory, owner: join(dirname(directory), 'package.json') });
  }
  return roots;
}

/** A project that depends on the CLI has a `package.json` above it; so has what pnpm installs globally, in a folder of its own. */
export async function installationKind(): Promise<Installation> {
  const [own, ...above] = installationRoots();
  const outermost = above.at(-1);
  const inProject = outermost !== undefined && (await dependencyNames(outermost.owner)) !== undefined;
  const path = own?.modules ?? '';
  return { manager: path.includes(`${sep}.pnpm${sep}`) ? 'pnpm' : 'npm', global: !inProject || path.includes(join('pnpm', 'global')) };
}

export function origins(context: Context, config: Config): readonly Origin[] {
  const installation = installationRoots();
  const user: PackageRoot = {
    modules: join(context.paths.pluginDirectory, 'node_modules'),
    owner: join(context.paths.pluginDirectory, 'package.json'),
  };
  const made: Record<OriginKind, Origin> = {
    config: configOrigin(context, config, [user, ...installation]),
    installation: rootsOrigin('installation', installation),
    user: rootsOrigin('user', [user]),
    project: projectOrigin(config),
  };
  return originOrder.map((kind) => made[kind]);
}

function rootsOrigin(kind: OriginKind, roots: readonly PackageRoot[]): Origin {
  const located = (packageName: string) =>
    roots.map(({ modules }) => ({ packageName, directory: join(modules, packageName), expected: false }));
  return {
    kind,
    located,
    candidates: async () => {
      const perRoot = await Promise.all(
        roots.map(async ({ modules, owner }) => {
          const names = (await dependencyNames(owner)) ?? (await installedNames(modules));
          return names.map((packageName) => ({ packageName, directory: join(modules, packageName), expected: false }));
        }),
      );
      return perRoot.flat();
    },
  };
}

function configOrigin(context: Context, config: Config, roots: readonly PackageRoot[]): Origin {
  const setting = config.get('plugins');
  const value = setting?.value;
  const named = Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
  const all = named.flatMap((item): Candidate[] => {
    if (item.startsWith('.') || item.startsWith('~') || isAbsolute(item)) {
      const home = context.env.HOME ?? '';
      const base = setting?.layer === 'project' ? (config.project?.directory ?? context.cwd) : context.paths.configDirectory;
      const path = item === '~' || item.startsWith('~/') ? join(home, item.slice(1)) : resolve(base, item);
      return [{ packageName: item, directory: path, expected: true }];
    }
    return roots.map(({ modules }, index) => ({ packageName: item, directory: join(modules, item), expected: index === roots.length - 1 }));
  });
  return { kind: 'config', located: () => all, candidates: async () => all };
}

/** Only what was there when a person trusted the project: a package that comes later is a new question. */
function projectOrigin({ project }: Config): Origin {
  const located = (packageName: string): readonly Candidate[] =>
    project?.backends.includes(packageName)
      ? [{ packageName, directory: join(project.directory, 'node_modules', packageName), expected: false }]
      : [];
  return { kind: 'project', located, candidates: async () => (project?.backends ?? []).flatMap(located) };
}

/** Packages that a directory's `package.json` depends on; undefined when there is none. */
export async function dependencyNames(owner: string): Promise<string[] | undefined> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(owner, 'utf8'));
  } catch {
    return undefined;
  }
  if (typeof json !== 'object' || json === null) return undefined;
  const names = new Set<string>();
  for (const field of ['dependencies', 'devDependencies', 'optionalDependencies'] as const) {
    const section = (json as Record<string, unknown>)[field];
    if (typeof section === 'object' && section !== null) for (const name of Object.keys(section)) names.add(name);
  }
  return [...names];
}

async function installedNames(modules: string): Promise<string[]> {
  const entries = await readdir(modules).catch(() => []);
  const names = await Promise.all(
    entries.map(async (entry) => {
      if (entry.startsWith('.')) return [];
      if (!entry.startsWith('@')) return [entry];
      const scoped = await readdir(join(modules, entry)).catch(() => []);
      return scoped.map((name) => `${entry}/${name}`);
    }),
  );
  return names.flat();
}
