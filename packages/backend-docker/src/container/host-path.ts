import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { PetasosError } from '@petasos/core/backend';
import type { Engine } from '../engine/engine.js';
import { label } from './labels.js';

/** Homes on macOS and Linux, and the home of whoever runs Petasos. Root's own is everywhere. */
export function looksLikeHostPath(path: string, hostEnv: Readonly<Record<string, string | undefined>>): boolean {
  const home = hostEnv.HOME ?? homedir();
  const ofHost = home !== '/root' && home !== '/' && (path === home || path.startsWith(`${home}/`));
  return ofHost || /^\/(Users|home)\//.test(path);
}

/**
 * The engine makes a working directory that is missing. For a directory of the machine that somebody meant to be there, that would be
 * an empty one where their files should be.
 * @throws `cwd-not-found` when the image has no such directory.
 */
export async function requireInImage(engine: Engine, image: string, path: string): Promise<void> {
  const { Id } = await engine.createContainer(
    `petasos-look-${randomBytes(6).toString('hex')}`,
    { Image: image, Entrypoint: ['/bin/sh'], WorkingDir: '/', Labels: { [label.managed]: 'look' } },
    undefined,
  );
  try {
    if (await engine.hasPath(Id, path)) return;
  } finally {
    await engine.removeContainer(Id);
  }
  throw new PetasosError(
    'cwd-not-found',
    `the directory ${path} is not in the image ${image}: a container does not see this machine’s files`,
    {
      backend: 'docker',
      operation: 'create',
      data: { cwd: path },
      remedy: 'Mount it (volumes, or mountCwdToWorkspace for the project), or choose a workdir inside the container.',
    },
  );
}
