import { randomBytes } from 'node:crypto';
import { destroyed, failure } from './errors.js';
import { runScript } from './machine/machine.js';
import type { SandboxRecord } from './records.js';
import { readSnapshot, takeSnapshot } from './scripts/sandbox.js';
import { lastLine, type Site } from './site.js';

/** What a snapshot says of itself: files alone make no sandbox, an image belongs to them. */
export type Snapshot = Pick<SandboxRecord, 'image' | 'imageName' | 'workdir'> & { readonly createdAt: string };

/** Copies the files of a sandbox. @returns the snapshot's id */
export async function snapshot(site: Site, record: SandboxRecord): Promise<string> {
  const id = `${record.name}-${randomBytes(4).toString('hex')}`;
  const { image, imageName, workdir } = record;
  const content: Snapshot = { image, imageName, workdir, createdAt: new Date().toISOString() };
  const { exitCode, stderr } = await runScript(site.machine, takeSnapshot, [site.root, record.name, id], {
    input: JSON.stringify(content),
  });
  if (exitCode === 0) return id;
  if (exitCode === 6) throw destroyed(record);
  throw failure('place-failed', `the files of ${record.name} cannot be copied: ${lastLine(stderr)}`, {
    operation: 'snapshot',
    remedy: `Free space or quota below ${site.root}.`,
  });
}

/** @throws `sandbox-not-found` when there is no such snapshot. */
export async function findSnapshot(site: Site, id: string): Promise<Snapshot> {
  const known = /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id);
  const { exitCode, stdout } = known ? await runScript(site.machine, readSnapshot, [site.root, id]) : { exitCode: 3, stdout: '' };
  if (exitCode !== 0) throw failure('sandbox-not-found', `singularity has no snapshot ${id}`, { operation: 'create' });
  return JSON.parse(stdout) as Snapshot;
}
