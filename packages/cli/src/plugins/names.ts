import { nearest } from '../ui/nearest.js';

/** The backends that Petasos itself publishes: known without being installed. Only these packages may carry their names. */
export const knownBackends: Readonly<Record<string, { readonly packageName: string; readonly title: string }>> = {
  local: { packageName: '@petasos/backend-local', title: 'this machine, without isolation' },
  docker: { packageName: '@petasos/backend-docker', title: 'a Docker or Podman container' },
  ssh: { packageName: '@petasos/backend-ssh', title: 'another machine over SSH' },
  singularity: { packageName: '@petasos/backend-singularity', title: 'an Apptainer or Singularity container, without root' },
  modal: { packageName: '@petasos/backend-modal', title: 'a serverless container at Modal' },
  daytona: { packageName: '@petasos/backend-daytona', title: 'a serverless workspace at Daytona' },
  vercel: { packageName: '@petasos/backend-vercel', title: 'a serverless sandbox at Vercel' },
};

/** Words that mean something else where a backend's name may stand. */
const reserved: ReadonlySet<string> = new Set(['all', 'auto', 'default', 'none', 'host']);

export const backendNameShape = /^[a-z][a-z0-9-]{0,31}$/;

/** Why this package may not carry this name; undefined when it may. */
export function nameRefusal(name: string, packageName: string): string | undefined {
  if (!backendNameShape.test(name)) return `its name ${JSON.stringify(name)} is not lower-case letters, digits and dashes, at most 32`;
  if (reserved.has(name)) return `the name "${name}" is reserved`;
  const known = Object.hasOwn(knownBackends, name) ? knownBackends[name] : undefined;
  if (known !== undefined && known.packageName !== packageName) return `the name "${name}" belongs to ${known.packageName}`;
  return undefined;
}

/** Packages that by their own name promise to be this backend. They are looked at before any other. */
export function conventionalPackages(name: string): readonly string[] {
  const known = Object.hasOwn(knownBackends, name) ? knownBackends[name] : undefined;
  return known === undefined ? [`petasos-backend-${name}`] : [known.packageName];
}

/** How the CLI was installed decides how a backend comes beside it. */
export interface Installation {
  readonly manager: 'npm' | 'pnpm';
  readonly global: boolean;
}

export function installCommand(name: string, { manager, global }: Installation): string | undefined {
  const known = Object.hasOwn(knownBackends, name) ? knownBackends[name] : undefined;
  if (known === undefined) return undefined;
  return [manager, manager === 'npm' ? 'install' : 'add', ...(global ? ['--global'] : []), known.packageName].join(' ');
}

export function nearestBackend(name: string, installed: readonly string[]): string | undefined {
  return nearest(name, [...new Set([...installed, ...Object.keys(knownBackends)])]);
}
