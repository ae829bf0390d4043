import { randomBytes } from 'node:crypto';
import { destroyed, failure } from './errors.js';
import { runScript } from './machine/machine.js';
import type { SandboxRecord } from './records.js';
import { type Runtime, runInside } from './runtime.js';
import { readSnapshot, takeSnapshot } from './scripts/sandbox.js';
import { lastLine, type Site } from './site.js';

/** What a snapshot says of itself: files alone make no sandbox, an image belongs to them. */
export type Snapshot = Pick<SandboxRecord, 'image' | 'imageName' | 'workdir'> & {
  readonly createdAt: string;
  /** Size of its overlay, 0 for a directory. */
  readonly overlayMiB: number;
};

/** What has been written is on its way to an overlay's file until the file system in it is told to write all. */
const flush = 'f=/.petasos-flush.$$; sync; dd if=/dev/null of="$f" conv=fsync 2>/dev/null; rm -f "$f"';

/** Copies the files of a sandbox. @returns the snapshot's id */
export async function snapshot(site: Site, runtime: Runtime, record: SandboxRecord): Promise<string> {
  const id = `${record.name}-${randomBytes(4).toString('hex')}`;
  const { image, imageName, workdir } = record;
  const { overlayMiB } = record.settings;
  const content: Snapshot = { image, imageName, workdir, createdAt: new Date().toISOString(), overlayMiB };
  if (overlayMiB > 0) await runInside(runtime, record, ['/bin/sh', '-c', flush]);
  // The machine that has it mounted knows what is in it.
  const node = await runtime.node(record);
  const { exitCode, stderr } = await runScript(node, takeSnapshot, [site.root, record.name, id, JSON.stringify(content)]);
  if (exitCode === 0) return id;
  if (exitCode === 6) throw destroyed(record);
  if (exitCode === 5) {
    throw failure('place-failed', `the overlay of ${record.name} changed too much while it was copied`, {
      operation: 'snapshot',
      retryable: true,
      remedy: 'Take it again when less is written.',
    });
  }
  throw failure('place-failed', `the files of ${record.name} cannot be copied: ${lastLine(stderr)}`, {
    operation: 'snapshot',
    remedy: `Free space or quota below ${site.root}.`,
  });
}

/**
 * The snapshot that a sandbox with these options is to start from.
 * @throws `sandbox-not-found`; `invalid-options` where its overlay is another than theirs.
 */
export async function snapshotFor(site: Site, id: string, options: Pick<Snapshot, 'overlayMiB'>): Promise<Snapshot> {
  const found = await findSnapshot(site, id);
  const { overlayMiB } = found;
  if (overlayMiB === options.overlayMiB) return found;
  const size = (mib: number) => (mib > 0 ? `an overlay of ${mib} MiB` : 'an overlay directory');
  throw failure('invalid-options', `the snapshot ${id} has ${size(overlayMiB)}, and ${size(options.overlayMiB)} is asked for`, {
    operation: 'create',
    remedy: `Open it with overlayMiB ${overlayMiB}.`,
  });
}

async function findSnapshot(site: Site, id: string): Promise<Snapshot> {
  const known = /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id);
  const { exitCode, stdout } = known ? await runScript(site.machine, readSnapshot, [site.root, id]) : { exitCode: 3, stdout: '' };
  if (exitCode !== 0) throw failure('sandbox-not-found', `singularity has no snapshot ${id}`, { operation: 'create' });
  return JSON.parse(stdout) as Snapshot;
}
