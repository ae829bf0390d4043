import { type HostInfo, PetasosError, type Progress } from '@petasos/core/backend';
import type { Engine } from '../engine/engine.js';
import type { ImageDetails } from '../engine/shapes.js';
import { type DockerOptions, defaultImage } from '../options.js';
import { pullImage } from './pull.js';

export interface ObtainContext {
  readonly host: HostInfo;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
}

/** The image, fetched where the options say so. An image that is present needs no network. */
export async function obtainImage(engine: Engine, options: DockerOptions, context: ObtainContext): Promise<ImageDetails> {
  const reference = options.image ?? defaultImage;
  const policy = options.pull ?? 'missing';
  const present = policy === 'always' ? undefined : await engine.image(reference);
  if (present !== undefined) return present;
  if (policy !== 'never') {
    await pullImage(engine, reference, options.platform, context);
    const pulled = await engine.image(reference);
    if (pulled !== undefined) return pulled;
  }
  throw new PetasosError('unavailable', `the image ${reference} is not on the Docker engine`, {
    backend: 'docker',
    operation: 'open',
    data: { image: reference },
    remedy: policy === 'never' ? 'Load it (docker load, docker pull), or let Petasos pull: pull is never.' : 'Pull it: docker pull.',
  });
}
