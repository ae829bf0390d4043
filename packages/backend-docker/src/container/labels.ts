import { createHash } from 'node:crypto';

/** Set by the engine of Petasos on everything that it makes. */
export const label = {
  managed: 'petasos.managed',
  name: 'petasos.name',
  owner: 'petasos.owner',
  persistent: 'petasos.docker.persistent',
  /** The engine's own directory inside. */
  scratch: 'petasos.docker.scratch',
  /** Milliseconds since 1970 at which the sandbox ends. */
  ends: 'petasos.docker.ends',
  /** The image as it was asked for. */
  image: 'petasos.docker.image',
  /** On an image: id of the sandbox whose files it keeps. */
  snapshotOf: 'petasos.docker.snapshot-of',
} as const;

/** The engine lets one container have a name, so that of two who make one sandbox at once one fails. Owners do not collide. */
export function containerName(name: string, owner: string): string {
  return `petasos-${name}-${createHash('sha256').update(owner).digest('hex').slice(0, 8)}`;
}

export function isManaged(labels: Readonly<Record<string, string>> | null | undefined): boolean {
  return labels?.[label.managed] === 'true';
}
