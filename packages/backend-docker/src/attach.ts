import { PetasosError, type SandboxRef } from '@petasos/core/backend';
import { isManaged, label } from './container/labels.js';
import type { Engine } from './engine/engine.js';
import { statusOf } from './engine/errors.js';
import type { ContainerDetails } from './engine/shapes.js';

/**
 * Gets a container that exists going: one that was stopped, and one whose maker was lost between making and starting it.
 * @throws `sandbox-not-found`; what cannot be started again is removed, so that the next open makes a new one.
 */
export async function reviveContainer(engine: Engine, ref: SandboxRef): Promise<ContainerDetails> {
  const found = await engine.container(ref.id);
  if (found === undefined || !isManaged(found.Config.Labels)) throw notFound(ref);
  const status = found.State.Status;
  if (status === 'running' || status === 'paused' || status === 'restarting') return found;
  if (status === 'removing' || status === 'dead') throw notFound(ref);
  if (status === 'exited' && found.Config.Labels?.[label.persistent] !== 'true') {
    await engine.removeContainer(ref.id);
    throw notFound(ref);
  }
  try {
    await engine.startContainer(ref.id);
  } catch (error) {
    if (statusOf(error) === undefined) throw error;
    // Its maker removes what it could not start, too; which of the two does it does not matter.
    if (status !== 'created' && statusOf(error) !== 404) throw error;
    await engine.removeContainer(ref.id).catch(() => {});
    throw notFound(ref);
  }
  return found;
}

function notFound(ref: SandboxRef): PetasosError {
  return new PetasosError('sandbox-not-found', `docker has no sandbox ${ref.name}`, { backend: 'docker', operation: 'attach' });
}
