import type { Snapshot } from '../core/index.js';
import { HttpProblem } from '../core/index.js';
import { type Account, newId, type Sandbox, type Session } from './account.js';
import { watchMemory } from './limits.js';

/** A new session, with the files as they are. */
export async function startSession(account: Account, sandbox: Omit<Sandbox, 'session'>, sourceSnapshotId?: string): Promise<Session> {
  sandbox.box.offline = sandbox.networkPolicy.mode === 'deny-all';
  await sandbox.box.boot();
  sandbox.box.state = 'running';
  if (account.knobs.enforceLimits) watchMemory(sandbox.box, sandbox.vcpus * account.knobs.memoryMiBPerVcpu);
  return {
    id: newId('sess'),
    requestedAt: account.now(),
    sourceSnapshotId,
    commands: new Map(),
    timeoutMs: sandbox.timeoutMs,
    status: 'running',
    stoppedAt: undefined,
  };
}

/** Ends the session at its time, as {@link stopSession} would. */
export function planEnd(account: Account, sandbox: Sandbox): void {
  const { session, box } = sandbox;
  const leftMs = session.requestedAt + session.timeoutMs - account.now();
  box.plan('timeout', Math.max(0, leftMs), () => {
    if (sandbox.session === session && session.status === 'running') void stopSession(account, sandbox);
  });
}

/** Ends what runs. A persistent sandbox is saved, another one loses its files. @returns the snapshot */
export async function stopSession(account: Account, sandbox: Sandbox): Promise<Snapshot | undefined> {
  let snapshot: Snapshot | undefined;
  await endSession(account, sandbox, 'stopping', async () => {
    if (sandbox.persistent) snapshot = await saveFiles(account, sandbox);
  });
  return snapshot;
}

export async function snapshotSession(account: Account, sandbox: Sandbox): Promise<Snapshot> {
  let snapshot: Snapshot | undefined;
  await endSession(account, sandbox, 'snapshotting', async () => {
    snapshot = await saveFiles(account, sandbox);
  });
  if (snapshot === undefined) throw new HttpProblem(409, 'the session ended meanwhile', { code: 'conflict' });
  return snapshot;
}

async function saveFiles(account: Account, sandbox: Sandbox): Promise<Snapshot> {
  const snapshot = await account.store.snapshot(sandbox.box, newId('snap'));
  sandbox.snapshotId = snapshot.id;
  return snapshot;
}

async function endSession(account: Account, sandbox: Sandbox, via: 'stopping' | 'snapshotting', save: () => Promise<void>): Promise<void> {
  const { session, box } = sandbox;
  box.cancel('timeout');
  session.status = via;
  await box.pass(via, 'stopped', account.knobs.transitionMs, async () => {
    await box.halt();
    await save();
  });
  session.status = 'stopped';
  session.stoppedAt = account.now();
  sandbox.updatedAt = account.now();
}

/** Waits for one that is ending: a session that is asked for in between starts when the old one is over. */
async function settled(sandbox: Sandbox): Promise<void> {
  while (['stopping', 'snapshotting', 'pending'].includes(sandbox.session.status)) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** @returns whether it had to be started. @throws 410 when its files are gone. */
export async function resume(account: Account, sandbox: Sandbox): Promise<boolean> {
  await settled(sandbox);
  if (sandbox.session.status === 'running') return false;
  const snapshot = sandbox.snapshotId === undefined ? undefined : account.store.findSnapshot(sandbox.snapshotId);
  if (sandbox.persistent && snapshot === undefined)
    throw new HttpProblem(410, `the snapshot of ${sandbox.name} is gone`, { code: 'snapshot_not_found' });
  const old = sandbox.session;
  // Two that ask at once get one session.
  old.status = 'pending';
  account.retire(old);
  try {
    if (!sandbox.persistent) sandbox.box = await replaceBox(account, sandbox);
    sandbox.session = await startSession(account, sandbox, snapshot?.id);
  } catch (error) {
    old.status = 'failed';
    throw error;
  }
  planEnd(account, sandbox);
  return true;
}

async function replaceBox(account: Account, { box }: Sandbox): Promise<Sandbox['box']> {
  const { name, labels, env } = box;
  const spec = { id: newId('box'), name, state: 'pending' as const, labels, env, workdir: box.tree.workdir };
  await account.store.remove(box);
  return account.store.create(spec);
}

/** Removes it with its sessions and routes. */
export async function removeSandbox(account: Account, sandbox: Sandbox, withSnapshots: boolean): Promise<void> {
  account.sandboxes.delete(sandbox.name);
  for (const route of sandbox.routes.values()) await route.close();
  await account.store.remove(sandbox.box);
  sandbox.session.status = 'stopped';
  if (!withSnapshots) return;
  // One that is only being made has no session yet.
  const used = new Set([...account.sandboxes.values()].flatMap((one) => [one.snapshotId, one.session?.sourceSnapshotId]));
  for (const snapshot of account.store.snapshots())
    if (snapshot.origin === sandbox.box.id && !used.has(snapshot.id)) await account.store.removeSnapshot(snapshot);
}
