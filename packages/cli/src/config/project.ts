import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from '../session/context.js';
import { exists } from './exists.js';
import { fingerprint, realDirectory, type TrustedProject, trustedProjects } from './trust.js';

export const projectFileName = 'petasos.yaml';

/** The project that a directory belongs to, and how far it may be listened to. */
export interface Project {
  readonly directory: string;
  /** Its `petasos.yaml`, where it has one. */
  readonly file: string | undefined;
  /** `changed`: its file is not the one that was trusted. */
  readonly trust: 'trusted' | 'untrusted' | 'changed';
  /** Packages of the project that may be used as backends; none unless it is trusted. */
  readonly backends: readonly string[];
}

/** The nearest directory, upwards, that has a `petasos.yaml` or was trusted. */
export async function findProject({ cwd, paths }: Context): Promise<Project | undefined> {
  const known = (await exists(paths.trustFile)) ? await trustedProjects(paths) : [];
  for (let directory = cwd; ; directory = dirname(directory)) {
    const path = join(directory, projectFileName);
    const file = (await exists(path)) ? path : undefined;
    const entry = known.length === 0 ? undefined : await entryOf(known, directory);
    if (file !== undefined || entry !== undefined) {
      const trust = entry === undefined ? 'untrusted' : (await isAsTrusted(file, entry)) ? 'trusted' : 'changed';
      return { directory, file, trust, backends: trust === 'trusted' ? (entry?.backends ?? []) : [] };
    }
    if (directory === dirname(directory)) return undefined;
  }
}

async function entryOf(known: readonly TrustedProject[], directory: string): Promise<TrustedProject | undefined> {
  const real = await realDirectory(directory);
  return known.find((project) => project.directory === real);
}

async function isAsTrusted(file: string | undefined, { sha256 }: TrustedProject): Promise<boolean> {
  return (await fileFingerprint(file)) === sha256;
}

/** Null when there is no file; one that cannot be read equals none that was. */
export async function fileFingerprint(file: string | undefined): Promise<string | null> {
  if (file === undefined) return null;
  return readFile(file).then(fingerprint, () => 'unreadable');
}
