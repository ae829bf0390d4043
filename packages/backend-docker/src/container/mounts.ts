import { homedir } from 'node:os';
import path from 'node:path';
import { PetasosError } from '@petasos/core/backend';
import type { DockerOptions } from '../options.js';

/** Where the project's directory is mounted. */
export const workspace = '/workspace';

export interface Mounts {
  /** The API's `Mounts`: a source that is missing is an error, where `Binds` would make a directory of root's. */
  readonly mounts: readonly object[];
  /** The API's `Binds`, for mounts whose SELinux label is to be changed: `Mounts` has no word for that. */
  readonly binds: readonly string[];
  /** Paths in the container where something else is mounted. */
  readonly targets: readonly string[];
}

/** @throws `invalid-options` for an entry that names no two paths. */
export function mountsOf(options: DockerOptions, hostEnv: Readonly<Record<string, string | undefined>>): Mounts {
  const mounts: object[] = [];
  const binds: string[] = [];
  const targets: string[] = [];
  for (const entry of options.volumes ?? []) {
    const { source, target, modes } = parseVolume(entry, hostEnv.HOME ?? homedir());
    const readOnly = modes.includes('ro');
    targets.push(target);
    if (modes.some((mode) => mode === 'z' || mode === 'Z')) binds.push([source, target, modes.join(',')].join(':'));
    else if (source.startsWith('/')) mounts.push({ Type: 'bind', Source: source, Target: target, ReadOnly: readOnly });
    else mounts.push({ Type: 'volume', Source: source, Target: target, ReadOnly: readOnly });
  }
  if (options.mountCwdToWorkspace) {
    mounts.push({ Type: 'bind', Source: process.cwd(), Target: workspace, ReadOnly: false });
    targets.push(workspace);
  }
  return { mounts, binds, targets };
}

interface Volume {
  readonly source: string;
  readonly target: string;
  readonly modes: readonly string[];
}

const knownModes = new Set(['ro', 'rw', 'z', 'Z']);

function parseVolume(entry: string, home: string): Volume {
  const [, source = '', target = '', modes = ''] = /^((?:[A-Za-z]:[\\/])?[^:]*):([^:]+)(?::([^:]*))?$/.exec(entry) ?? [];
  const given = modes === '' ? [] : modes.split(',');
  const unknown = given.find((mode) => !knownModes.has(mode));
  if (source === '' || !target.startsWith('/') || unknown !== undefined) {
    throw new PetasosError(
      'invalid-options',
      unknown === undefined
        ? `options of docker: volumes: ${JSON.stringify(entry)} is not host:container[:ro]`
        : `options of docker: volumes: ${JSON.stringify(entry)} has the mode ${unknown}, which is unknown`,
      { backend: 'docker', operation: 'open', remedy: 'Use an absolute path, ~/path, ./path or the name of a volume, and ro, rw, z or Z.' },
    );
  }
  return { source: absoluteSource(source, home), target, modes: given };
}

function absoluteSource(source: string, home: string): string {
  if (source === '~' || source.startsWith('~/')) return path.join(home, source.slice(1));
  return /^\.{1,2}($|\/)/.test(source) ? path.resolve(source) : source;
}
