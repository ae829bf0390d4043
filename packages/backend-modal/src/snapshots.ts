import { setTimeout as delay } from 'node:timers/promises';
import { PetasosError } from '@petasos/core/backend';
import type { ModalClient, Sandbox } from 'modal';
import { ask, type Catalog, type Life, orUndefined } from './catalog.js';
import { failureOf, translate } from './errors.js';
import type { ModalOptions } from './options.js';
import { execute } from './process.js';

const defaultTimeoutMs = 15 * 60_000;
const defaultDays = 30;
const dayMs = 24 * 3_600_000;

/** What a life remembers of snapshots, in its tags. */
export const snapshotTags = {
  /** Taken when it was put to sleep: the state to go on from. */
  asleep: 'petasos.snapshot.asleep',
  /** Taken shortly before the end of its life, in case the one at the end fails. */
  checkpoint: 'petasos.snapshot.checkpoint',
  /** The one that it was started from, if that was ours. */
  origin: 'petasos.snapshot.origin',
} as const;

/**
 * Takes a snapshot of the files; volumes are not in it. `keep`: how long Modal keeps it, null for ever.
 * @returns the id of the image
 */
export async function takeSnapshot(sandbox: Sandbox, options: ModalOptions, keep: 'asked-for' | 'ours'): Promise<string> {
  const days = keep === 'ours' || options.snapshotDays === undefined ? defaultDays : options.snapshotDays;
  const take = async () => {
    // A snapshot of a sandbox that has only just started fails; one that has run a process has started.
    await (await execute(sandbox, ['/bin/sh', '-c', 'sync 2>/dev/null; exit 0', 'petasos-sync'])).wait();
    return sandbox.snapshotFilesystem({
      timeoutMs: options.snapshotTimeoutMs ?? defaultTimeoutMs,
      ttlMs: days === null ? null : days * dayMs,
    });
  };
  try {
    return (await take()).imageId;
  } catch (first) {
    // One that takes too long goes on in the service: another would be one more that nobody knows of.
    const hopeless = failureOf(first) === 'timeout' || (await sandbox.poll().catch(() => null)) !== null;
    if (hopeless) throw translate(first, 'snapshot', 'no snapshot can be taken');
    await delay(500);
    try {
      return (await take()).imageId;
    } catch (error) {
      throw translate(error, 'snapshot', 'no snapshot can be taken');
    }
  }
}

/** The snapshot that Modal took at the end of this life. `waitMs`: for one that is still being taken. Undefined where there is none. */
async function exitSnapshot(sandbox: Sandbox, waitMs: number): Promise<string | 'pending' | undefined> {
  try {
    return (await sandbox.experimentalGetExitSnapshot({ timeoutMs: waitMs })).imageId;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return 'pending';
    if (error instanceof Error && ['SnapshotCreationError', 'InvalidError', 'NotFoundError'].includes(error.name)) return undefined;
    throw translate(error, 'snapshot', 'the last snapshot cannot be asked for');
  }
}

async function exists(client: ModalClient, image: string): Promise<boolean> {
  const found = await orUndefined('missing', () => ask('the snapshot cannot be looked up', () => client.images.fromId(image)));
  return found !== undefined;
}

/** What an ended sandbox can go on from; the newest that is there. */
export async function stateOf({ client }: Catalog, { sandbox, tags }: Life, waitMs: number): Promise<string | 'pending' | undefined> {
  const asleep = tags[snapshotTags.asleep];
  if (asleep !== undefined) return (await exists(client, asleep)) ? asleep : undefined;
  const last = await exitSnapshot(sandbox, waitMs);
  if (last === 'pending' || (last !== undefined && (await exists(client, last)))) return last;
  const checkpoint = tags[snapshotTags.checkpoint];
  // A life that was destroyed has lost its last snapshot on purpose.
  return last === undefined && checkpoint !== undefined && (await exists(client, checkpoint)) ? checkpoint : undefined;
}

/** Deletes every snapshot that these lives own, besides `keep`. @throws `unavailable` when one is still being taken. */
export async function removeSnapshots(catalog: Catalog, lives: readonly Life[], waitMs: number, keep?: string): Promise<void> {
  const owned = await Promise.all(
    lives.map(async ({ sandbox, tags, running }) => [
      ...Object.values(snapshotTags).map((tag) => tags[tag]),
      running || tags['petasos.persistent'] !== 'true' ? undefined : await exitSnapshot(sandbox, waitMs),
    ]),
  );
  const images = new Set(owned.flat().filter((image) => image !== undefined && image !== keep));
  const late = images.delete('pending');
  await Promise.all([...images].map((image) => removeImage(catalog, image ?? '')));
  if (!late) return;
  throw new PetasosError('unavailable', 'modal: the sandbox has ended, and its last snapshot is still being taken', {
    backend: 'modal',
    operation: 'destroy',
    retryable: true,
    remedy: 'Destroy it again in a moment, so that the snapshot is deleted.',
  });
}

async function removeImage({ client }: Catalog, image: string): Promise<void> {
  await orUndefined('missing', () => ask('a snapshot cannot be deleted', () => client.images.delete(image)));
}
