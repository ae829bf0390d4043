import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import type { UserPaths } from './paths.js';
import { replaceFile } from './replace-file.js';

/** One project that a person trusted, as it was then. */
export interface TrustedProject {
  /** Real path. */
  readonly directory: string;
  /** Of its `petasos.yaml`; null when it had none. */
  readonly sha256: string | null;
  /** Packages among its dependencies that may be used as backends. */
  readonly backends: readonly string[];
}

export async function trustedProjects({ trustFile }: UserPaths): Promise<readonly TrustedProject[]> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(trustFile, 'utf8'));
  } catch {
    // No file, or one that cannot be read, trusts nobody.
    return [];
  }
  const projects = typeof json === 'object' && json !== null && 'projects' in json ? json.projects : undefined;
  return Array.isArray(projects) ? projects.filter(isTrustedProject) : [];
}

function isTrustedProject(value: unknown): value is TrustedProject {
  if (typeof value !== 'object' || value === null) return false;
  const { directory, sha256, backends } = value as Partial<Record<keyof TrustedProject, unknown>>;
  return (
    typeof directory === 'string' &&
    (sha256 === null || typeof sha256 === 'string') &&
    Array.isArray(backends) &&
    backends.every((name) => typeof name === 'string')
  );
}

/** @param project undefined takes the trust away */
export async function setTrust(paths: UserPaths, directory: string, project: TrustedProject | undefined): Promise<void> {
  const others = (await trustedProjects(paths)).filter((known) => known.directory !== directory);
  const projects = project === undefined ? others : [...others, project];
  await replaceFile(paths.trustFile, `${JSON.stringify({ projects }, null, 2)}\n`, 0o600);
}

export function fingerprint(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A directory's own path, so that a link to a trusted one is no way to be trusted. */
export async function realDirectory(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
