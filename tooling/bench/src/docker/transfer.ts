import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '@petasos/core';
import { type SideBySide, sideBySide } from '../measure.js';
import type { Row, RowResult } from '../row.js';
import { rawDocker, withDocker } from './place.js';

const filesEach = 100;
const fileBytes = 5_000;

/** A tree of many small files: 10 000 of them are 50 MB. */
async function withTree<T>(count: number, action: (tree: string, scratch: string) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), 'petasos-bench-'));
  try {
    const tree = join(scratch, 'tree');
    const content = Buffer.alloc(fileBytes, 'content ');
    for (let directory = 0; directory * filesEach < count; directory += 1) {
      const path = join(tree, String(directory));
      await mkdir(path, { recursive: true });
      await Promise.all(Array.from({ length: filesEach }, (_, file) => writeFile(join(path, String(file)), content)));
    }
    return await action(tree, scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function transferRow(
  id: string,
  direction: string,
  measure: (sandbox: Sandbox, tree: string, scratch: string, rounds: number) => Promise<SideBySide>,
): Row {
  return {
    id,
    run: (effort) => {
      const count = effort === 'quick' ? 1_000 : 10_000;
      return withTree(count, (tree, scratch) =>
        withDocker(async (sandbox): Promise<RowResult> => {
          const { ours, theirs, ratio } = await measure(sandbox, tree, scratch, effort === 'quick' ? 1 : 5);
          return {
            id,
            what: `${direction} of ${count} files, ${(count * fileBytes) / 1e6} MB`,
            against: 'docker cp',
            ours,
            theirs,
            figures: [{ label: 'time', value: ratio, unit: '×', bar: { atMost: 1.0 } }],
          };
        }),
      );
    },
  };
}

export const upload = transferRow('docker.upload', 'upload', (sandbox, tree, _scratch, rounds) => {
  let count = 0;
  return sideBySide(
    () => sandbox.files.upload(tree, `/root/ours-${count++}`),
    () => rawDocker('cp', '-q', tree, `${sandbox.id}:/root/theirs-${count++}`),
    rounds,
  );
});

export const download = transferRow('docker.download', 'download', async (sandbox, tree, scratch, rounds) => {
  await sandbox.files.upload(tree, '/root/tree');
  let count = 0;
  return sideBySide(
    () => sandbox.files.download('/root/tree', join(scratch, `ours-${count++}`)),
    () => rawDocker('cp', '-q', `${sandbox.id}:/root/tree`, join(scratch, `theirs-${count++}`)),
    rounds,
  );
});
