import { randomBytes } from 'node:crypto';
import { type CreateSpec, PetasosError, type SandboxRef } from '@petasos/core/backend';
import { requireInImage } from './container/host-path.js';
import { containerName, isManaged, label } from './container/labels.js';
import { makeOpenDirectories } from './container/open-directories.js';
import { containerSpec } from './container/spec.js';
import type { Engine } from './engine/engine.js';
import { statusOf } from './engine/errors.js';
import type { ContainerDetails, ImageDetails } from './engine/shapes.js';
import { obtainImage } from './image/obtain.js';
import { stateOf } from './list.js';
import type { DockerOptions } from './options.js';
import { snapshotImage } from './snapshot.js';

/** Makes and starts the container. A start that fails leaves nothing. */
export async function createContainer(engine: Engine, options: DockerOptions, spec: CreateSpec): Promise<Made> {
  const host = { env: spec.hostEnv, platform: process.platform };
  const image =
    spec.from === undefined
      ? await obtainImage(engine, options, { host, signal: spec.signal, onProgress: spec.onProgress })
      : await snapshotImage(engine, spec.from);
  refuseAborted(spec);
  const id = await make(engine, options, spec, image);
  try {
    await engine.startContainer(id);
    refuseAborted(spec);
    const container = await engine.container(id);
    if (container === undefined || stateOf(container.State.Status) === 'stopped') throw endedAtOnce(spec.name);
    return { ref: { backend: 'docker', id, name: spec.name }, container };
  } catch (error) {
    await engine.removeContainer(id).catch(() => {});
    throw startError(spec, error);
  }
}

export interface Made {
  readonly ref: SandboxRef;
  readonly container: ContainerDetails;
}

/** An init process starts whatever the image is like; what it was to run may not be there. */
export function endedAtOnce(name: string): PetasosError {
  return new PetasosError('place-failed', `the container of the sandbox ${name} ended as soon as it had started`, {
    backend: 'docker',
    operation: 'create',
    remedy: 'Check the image: it needs /bin/sh. Nothing was left behind.',
  });
}

async function make(engine: Engine, options: DockerOptions, spec: CreateSpec, image: ImageDetails): Promise<string> {
  const name = containerName(spec.name, spec.labels[label.owner] ?? '');
  const { body, prepare, foreign } = containerSpec(options, spec, image, randomBytes(6).toString('hex'));
  if (foreign !== undefined) await requireInImage(engine, image.Id, foreign);
  let id: string;
  try {
    ({ Id: id } = await engine.createContainer(name, body, options.platform));
  } catch (error) {
    if (statusOf(error) === undefined) throw error;
    const taken = await nameTaken(engine, spec, name, error);
    if (taken !== undefined) throw taken;
    if (options.diskMiB === undefined) throw error;
    // Only some storage drivers can limit a container's layer; the placement says that this one does not.
    const { diskMiB: _, ...unlimited } = options;
    return make(engine, unlimited, spec, image);
  }
  if (prepare.length > 0) {
    try {
      await makeOpenDirectories(engine, id, prepare);
    } catch (error) {
      await engine.removeContainer(id).catch(() => {});
      throw error;
    }
  }
  return id;
}

/**
 * Why a container could not be made, if because of its name: Docker says 409 then, which Podman does not. What held the name may be gone
 * by now.
 */
async function nameTaken(engine: Engine, spec: CreateSpec, name: string, cause: unknown): Promise<PetasosError | undefined> {
  const holder = await engine.container(name);
  if (holder === undefined && statusOf(cause) !== 409) return undefined;
  if (holder === undefined || isManaged(holder.Config.Labels))
    return new PetasosError('sandbox-exists', `docker already has a sandbox named ${spec.name}`, {
      backend: 'docker',
      operation: 'create',
      cause,
    });
  return new PetasosError('place-failed', `a container named ${name} exists and is none of Petasos’`, {
    backend: 'docker',
    operation: 'create',
    remedy: `Remove it (docker rm ${name}) or choose another name.`,
    cause,
  });
}

function startError(spec: CreateSpec, cause: unknown): unknown {
  const status = statusOf(cause);
  if (status === undefined || !(cause instanceof Error)) return cause;
  return new PetasosError('place-failed', `the container of the sandbox ${spec.name} could not be started: ${cause.message}`, {
    backend: 'docker',
    operation: 'create',
    data: { status },
    remedy: 'Check the image (it needs /bin/sh), the mounts and the limits; nothing was left behind.',
    cause,
  });
}

function refuseAborted({ signal, name }: CreateSpec): void {
  if (!signal?.aborted) return;
  throw new PetasosError('aborted', `making the sandbox ${name} was aborted`, { backend: 'docker', operation: 'create' });
}
