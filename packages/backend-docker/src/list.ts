import type { SandboxListing, SandboxRef, SandboxState } from '@petasos/core/backend';
import { label } from './container/labels.js';
import type { Engine } from './engine/engine.js';
import type { ContainerStatus, ContainerSummary } from './engine/shapes.js';

/** Every sandbox that carries our labels, whoever made it. */
export async function listContainers(engine: Engine): Promise<readonly SandboxListing[]> {
  const found = await engine.containers([`${label.managed}=true`]);
  return found.map((container) => ({
    ref: refOf(container),
    state: stateOf(container.State),
    createdAt: new Date(container.Created * 1000),
    owner: container.Labels?.[label.owner] ?? '',
    labels: container.Labels ?? {},
  }));
}

export async function findContainer(engine: Engine, name: string, owner: string): Promise<SandboxRef | undefined> {
  const found = await engine.containers([`${label.managed}=true`, `${label.name}=${name}`, `${label.owner}=${owner}`]);
  const usable = found.find(({ State }) => stateOf(State) !== 'gone');
  return usable && refOf(usable);
}

function refOf({ Id, Labels }: ContainerSummary): SandboxRef {
  return { backend: 'docker', id: Id, name: Labels?.[label.name] ?? '' };
}

export function stateOf(status: ContainerStatus | undefined): SandboxState {
  switch (status) {
    case 'running':
    case 'restarting':
      return 'running';
    case 'paused':
      return 'paused';
    case 'created':
    case 'exited':
      return 'stopped';
    default:
      return 'gone';
  }
}
