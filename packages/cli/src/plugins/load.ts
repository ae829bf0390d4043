import { pathToFileURL } from 'node:url';
import { type Backend, CONTRACT_VERSION, type Traits } from '@petasos/core/backend';
import { CliError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import type { BackendPackage } from './manifest.js';

/** What is loaded for a backend that was asked for may take this long; a place that starts slower is as good as broken. */
const loadLimitMs = 15_000;

/**
 * Imports the one backend that is going to be used.
 * @throws CliError naming the package and what is wrong with it
 */
export async function loadBackend(found: Pick<BackendPackage, 'name' | 'packageName' | 'entry'>): Promise<Backend> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not load within ${loadLimitMs / 1000} s`)), loadLimitMs);
  });
  try {
    const module: unknown = await Promise.race([import(pathToFileURL(found.entry).href), late]);
    return checkBackend(module, found.name);
  } catch (error) {
    throw new CliError(`${found.name}: ${found.packageName} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`, {
      status: exitStatus.placeFailed,
      code: 'backend-unusable',
      remedy: `Update or reinstall ${found.packageName}.`,
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** @throws Error in words when the module is not what its manifest says */
export function checkBackend(module: unknown, name: string): Backend {
  const backend = typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  if (!isBackend(backend)) throw new Error('its default export is not a backend made with defineBackend');
  if (backend.name !== name)
    throw new Error(`it calls itself ${JSON.stringify(backend.name)}, but its package.json says ${JSON.stringify(name)}`);
  if (backend.contract !== CONTRACT_VERSION)
    throw new Error(`it follows version ${backend.contract} of the contract, not ${CONTRACT_VERSION}`);
  return backend;
}

function isBackend(value: unknown): value is Backend {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Partial<Record<keyof Backend, unknown>>;
  const methods = ['check', 'create', 'attach', 'list', 'destroy'] as const;
  return typeof members.name === 'string' && isTraits(members.traits) && methods.every((method) => typeof members[method] === 'function');
}

/** A person reads them, so that each must be there. */
function isTraits(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Partial<Record<keyof Traits, unknown>>;
  return (['title', 'isolation', 'startup', 'cost', 'persistence', 'goodFor'] as const).every((name) => typeof members[name] === 'string');
}
