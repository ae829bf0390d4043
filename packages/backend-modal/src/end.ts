import { isPetasosError, PetasosError } from '@petasos/core/backend';
import type { Sandbox } from 'modal';
import { ask, type Catalog, type Life } from './catalog.js';
import { hasEnded } from './process.js';
import { tag } from './records.js';
import { removeSnapshots } from './snapshots.js';

/** A sandbox that was told to end is asked so long whether it has. */
const endWaitMs = 30_000;
/** How long to wait for the snapshot that Modal takes at the end, to delete it. */
const lastSnapshotMs = 60_000;

/** Ends these lives of one sandbox and deletes all that they left. */
export async function discard(catalog: Catalog, lives: readonly Life[]): Promise<void> {
  await Promise.all(lives.filter(({ running }) => running).map((life) => endForGood(life)));
  await removeSnapshots(
    catalog,
    lives.map((life) => ({ ...life, running: false })),
    lastSnapshotMs,
  );
}

/** Says in its tags that nothing is to go on from it, then ends it. */
async function endForGood({ sandbox, tags }: Life): Promise<void> {
  try {
    await ask('the sandbox cannot be marked', () => sandbox.setTags({ ...tags, [tag.destroyed]: 'true' }));
  } catch (error) {
    // It may have ended meanwhile; its snapshots are deleted in any case.
    if (!isPetasosError(error, 'destroyed') && !isPetasosError(error, 'sandbox-not-found')) throw error;
  }
  await end(sandbox);
}

/** Resolves when the sandbox has ended, so that its name is free. */
export async function end(sandbox: Sandbox): Promise<void> {
  await ask('the sandbox cannot be ended', () => sandbox.terminate());
  const deadline = Date.now() + endWaitMs;
  for (let pauseMs = 20; !(await hasEnded(sandbox)); pauseMs = Math.min(1000, pauseMs * 2)) {
    if (Date.now() > deadline)
      throw new PetasosError('unavailable', `modal: the sandbox ${sandbox.sandboxId} was told to end and has not`, {
        backend: 'modal',
        operation: 'terminate',
        retryable: true,
        remedy: 'Try again.',
      });
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
