import { randomBytes } from 'node:crypto';
import { PetasosError, type SandboxRef } from '@petasos/core/backend';
import { label } from './container/labels.js';
import type { Engine } from './engine/engine.js';
import { statusOf } from './engine/errors.js';
import type { ImageDetails } from './engine/shapes.js';

const repository = 'petasos-snapshot';

/** Keeps the container's files as an image. @returns its reference, from which a sandbox can be opened. */
export async function takeSnapshot(engine: Engine, ref: SandboxRef): Promise<string> {
  const tag = randomBytes(8).toString('hex');
  await engine.commit(ref.id, repository, tag, { [label.managed]: 'snapshot', [label.snapshotOf]: ref.id });
  return `${repository}:${tag}`;
}

/** @throws `sandbox-not-found` when there is no such snapshot of ours. */
export async function snapshotImage(engine: Engine, id: string): Promise<ImageDetails> {
  const image = await engine.image(id);
  if (image?.Config?.Labels?.[label.snapshotOf] !== undefined) return image;
  throw new PetasosError('sandbox-not-found', `docker has no snapshot ${id}`, {
    backend: 'docker',
    operation: 'create',
    data: { snapshot: id },
    remedy: 'Use an id that a snapshot gave; the snapshots of a sandbox are removed with it.',
  });
}

/**
 * Removes the snapshots of a sandbox that is gone, and the one that another was made from when nobody else needs it any more. What a
 * container still stands on stays until that one is removed.
 */
export async function removeSnapshots(engine: Engine, sandboxId: string, from: string | undefined): Promise<void> {
  const own = await engine.images([`${label.snapshotOf}=${sandboxId}`]);
  const references = own.flatMap(({ Id, RepoTags }) => (RepoTags?.length ? RepoTags : [Id]));
  if (from !== undefined && (await isOrphan(engine, from))) references.push(from);
  for (const reference of references) {
    await engine.removeImage(reference).catch((error: unknown) => {
      if (statusOf(error) !== 409) throw error;
    });
  }
}

async function isOrphan(engine: Engine, reference: string): Promise<boolean> {
  const origin = (await engine.image(reference))?.Config?.Labels?.[label.snapshotOf];
  return origin !== undefined && (await engine.container(origin)) === undefined;
}
