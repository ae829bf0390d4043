import type { SandboxListing, SandboxRef } from '@petasos/core/backend';
import type { Catalog, Life } from './catalog.js';
import { longestLifeMs } from './options.js';
import { snapshotTags, stateOf } from './snapshots.js';

/** Tags of ours besides the labels that core gives. */
export const tag = {
  id: 'petasos.id',
  managed: 'petasos.managed',
  name: 'petasos.name',
  workdir: 'petasos.workdir',
  idleLimitMs: 'petasos.idle-limit-ms',
  /** When its life ends, and when the sandbox is to end for good, in milliseconds since the epoch. */
  expires: 'petasos.expires',
  ends: 'petasos.ends',
  persistent: 'petasos.persistent',
  destroyed: 'petasos.destroyed',
} as const;

/** Tags that one life does not hand on to the next. */
const ofOneLife = new Set<string>([...Object.values(snapshotTags), tag.expires, 'petasos.creation']);

const ofOurs = new Set<string>([...ofOneLife, tag.id, tag.workdir, tag.ends, tag.persistent]);

export function refOf({ tags }: Life): SandboxRef {
  return { backend: 'modal', id: tags[tag.id] ?? '', name: tags[tag.name] ?? '' };
}

function listingOf(life: Life, state: 'running' | 'stopped'): SandboxListing {
  const { tags } = life;
  const created = new Date(tags['petasos.created'] ?? life.createdAt);
  return {
    ref: refOf(life),
    state,
    createdAt: Number.isNaN(created.getTime()) ? life.createdAt : created,
    owner: tags['petasos.owner'] ?? '',
    labels: Object.fromEntries(Object.entries(tags).filter(([name]) => !ofOurs.has(name))),
  };
}

/** Milliseconds that the next life may have: the service's most, or less where the sandbox is to end before. */
export function lifetimeOf(tags: Readonly<Record<string, string>>): number {
  const ends = Number(tags[tag.ends] ?? Number.POSITIVE_INFINITY);
  return Math.min(longestLifeMs, ends - Date.now());
}

/** The tags of the next life. */
export function handedOn(tags: Readonly<Record<string, string>>, origin: string): Record<string, string> {
  const kept = Object.entries(tags).filter(([name]) => !ofOneLife.has(name));
  return { ...Object.fromEntries(kept), [snapshotTags.origin]: origin, [tag.expires]: String(Date.now() + lifetimeOf(tags)) };
}

/** Whether an ended life may still have files somewhere; asking costs requests. */
function mayBeAsleep({ running, tags }: Life): boolean {
  const kept = tags[tag.persistent] === 'true' || tags[snapshotTags.asleep] !== undefined;
  return !running && kept && tags[tag.destroyed] !== 'true' && lifetimeOf(tags) > 0;
}

/** The newest life of the sandbox of this name, where it has ended and its files are kept. */
export async function asleepByName(catalog: Catalog, name: string): Promise<Life | undefined> {
  for await (const life of catalog.lives({ [tag.managed]: 'true', [tag.name]: name }, true)) {
    // Only the newest counts: an older one has been gone on from, or was another sandbox of that name.
    if (!mayBeAsleep(life)) return undefined;
    return (await stateOf(catalog, life, 0)) === undefined ? undefined : life;
  }
  return undefined;
}

export async function listAll(catalog: Catalog): Promise<SandboxListing[]> {
  const newest = new Map<string, Life>();
  for await (const life of catalog.lives({ [tag.managed]: 'true' }, true)) {
    const name = life.tags[tag.name] ?? '';
    const known = newest.get(name);
    if (known === undefined || (life.running && !known.running)) newest.set(name, life);
  }
  const found = await Promise.all(
    [...newest.values()].map(async (life): Promise<SandboxListing | undefined> => {
      if (life.running) return listingOf(life, 'running');
      if (!mayBeAsleep(life) || (await stateOf(catalog, life, 0)) === undefined) return undefined;
      return listingOf(life, 'stopped');
    }),
  );
  return found.filter((listing) => listing !== undefined);
}
