import { nearest } from '../ui/nearest.js';
import published from './known-backends.json' with { type: 'json' };

export interface KnownBackend {
  readonly packageName: string;
  readonly title: string;
  readonly suits: readonly string[];
  /** Names of variables that hold its credentials. */
  readonly secrets: readonly string[];
}

/**
 * The backends that Petasos itself publishes: known without being installed. Only these packages may carry their names. Written by
 * scripts/decision-table.mjs from what the packages declare.
 */
export const knownBackends: Readonly<Record<string, KnownBackend>> = published;

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
