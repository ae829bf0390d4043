import { setTimeout as delay } from 'node:timers/promises';
import { PetasosError, type SandboxRef } from '@petasos/core/backend';
import { isManaged, label } from './container/labels.js';
import type { Engine } from './engine/engine.js';
import { statusOf } from './engine/errors.js';
import { removeSnapshots } from './snapshot.js';

const patienceMs = 20_000;
const pollMs = 25;

/** Removes the container with its volumes, and its snapshots. Succeeds when there is nothing. */
export async function destroyContainer(engine: Engine, ref: SandboxRef): Promise<void> {
  const found = await engine.container(ref.id);
  if (found !== undefined && !isManaged(found.Config.Labels)) {
    throw new PetasosError('sandbox-not-found', `the container ${ref.id} is none of Petasos’`, { backend: 'docker', operation: 'destroy' });
  }
  if (found !== undefined) await remove(engine, found.Id);
  await removeSnapshots(engine, ref.id, found?.Config.Labels?.[label.image]);
}

/** Two may remove it at once, and it may be about to remove itself: the engine then says conflict, and it is soon gone. */
async function remove(engine: Engine, id: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      if (!(await engine.removeContainer(id))) return;
    } catch (error) {
      if (statusOf(error) !== 409 || performance.now() > deadline) throw error;
    }
    if ((await engine.container(id)) === undefined) return;
    await delay(pollMs);
  }
}
