import { readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { CONTRACT_VERSION } from '@petasos/core/backend';
import { nameRefusal } from './names.js';
import type { OriginKind } from './origins.js';

/** What `package.json` says about a backend; nothing of the package has been run to learn it. */
export interface BackendPackage {
  readonly name: string;
  readonly contract: number;
  readonly packageName: string;
  readonly version: string;
  readonly directory: string;
  /** Absolute path of the module whose default export is the backend. */
  readonly entry: string;
  /** Commands start in the directory of the caller: the place sees the caller's own files at the same paths. */
  readonly startsInCallerDirectory: boolean;
  readonly origin: OriginKind;
}

/** A package that says it is a backend and cannot be used. */
export interface PluginProblem {
  readonly packageName: string;
  readonly directory: string;
  readonly origin: OriginKind;
  /** The backend's name, where it could be read. */
  readonly name?: string | undefined;
  readonly reason: string;
  readonly remedy: string;
}

export type ManifestReading =
  | { readonly kind: 'backend'; readonly backend: BackendPackage }
  | { readonly kind: 'problem'; readonly problem: PluginProblem }
  /** No package, or one that has nothing to do with Petasos. */
  | { readonly kind: 'none' };

/** `expected`: somebody asked for this package by name or path, so that its absence is a problem too. */
export async function readManifest(
  directory: string,
  packageName: string,
  origin: OriginKind,
  expected: boolean,
): Promise<ManifestReading> {
  const problem = (reason: string, remedy: string, name?: string): ManifestReading => ({
    kind: 'problem',
    problem: { packageName, directory, origin, reason, remedy, name },
  });
  let text: string;
  try {
    text = await readFile(join(directory, 'package.json'), 'utf8');
  } catch (error) {
    if (!expected) return { kind: 'none' };
    return problem(
      `it has no package.json that can be read (${error instanceof Error ? error.message : String(error)})`,
      'Install it, or take it out of plugins in the configuration.',
    );
  }
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // Most broken package.json files around have nothing to do with Petasos.
    if (!expected && !text.includes('petasos')) return { kind: 'none' };
    return problem('its package.json is not JSON', `Reinstall ${packageName}.`);
  }
  const declared = isRecord(json) ? json.petasos : undefined;
  if (!isRecord(json) || declared === undefined) {
    return expected
      ? problem(
          'it is not a backend: its package.json has no petasos field',
          'Name a backend package, or take it out of plugins in the configuration.',
        )
      : { kind: 'none' };
  }
  // A package's own word for its name, not the folder that it lies in: a linked checkout may lie anywhere.
  const ownName = typeof json.name === 'string' ? json.name : packageName;
  const repair = `Update or remove ${ownName}.`;
  if (!isRecord(declared)) return problem('its petasos field is not an object', repair);
  const { name, contract, backend: main, workdir } = declared;
  if (typeof name !== 'string') return problem('its petasos field has no name', repair);
  const refusal = nameRefusal(name, ownName);
  if (refusal !== undefined) return problem(refusal, repair, name);
  if (typeof contract !== 'number' || !Number.isInteger(contract)) return problem('its petasos field has no contract number', repair, name);
  if (contract !== CONTRACT_VERSION) {
    const remedy = contract > CONTRACT_VERSION ? 'Update petasos.' : `Update ${ownName}.`;
    return problem(`it follows version ${contract} of the contract, and this petasos speaks version ${CONTRACT_VERSION}`, remedy, name);
  }
  if (typeof main !== 'string' || main === '' || isAbsolute(main))
    return problem('its petasos field has no backend: a path relative to the package', repair, name);
  const entry = await entryWithin(directory, main);
  if (entry === undefined) return problem(`its backend ${JSON.stringify(main)} is not a file of the package`, repair, name);
  const version = typeof json.version === 'string' ? json.version : '0.0.0';
  const startsInCallerDirectory = workdir === 'caller';
  return { kind: 'backend', backend: { name, contract, packageName: ownName, version, directory, entry, startsInCallerDirectory, origin } };
}

/** The file's real path; undefined when it is missing or a link leads out of the package. */
async function entryWithin(directory: string, main: string): Promise<string | undefined> {
  try {
    const root = await realpath(directory);
    const entry = await realpath(join(root, main));
    const inside = relative(root, entry);
    return inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? undefined : entry;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
