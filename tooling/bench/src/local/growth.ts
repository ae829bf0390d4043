import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '@petasos/core';
import { timed } from '../measure.js';
import { mustSucceed } from '../must-succeed.js';
import { rawBash } from '../raw.js';
import type { Curve, Effort } from '../row.js';
import { withLocal } from './place.js';

type Point = { readonly x: number; readonly y: number };

async function along(xs: readonly number[], measure: (x: number) => Promise<number>): Promise<Point[]> {
  const points: Point[] = [];
  for (const x of xs) points.push({ x, y: await measure(x) });
  return points;
}

const upTo = (effort: Effort, quick: number, xs: readonly number[]) => (effort === 'quick' ? xs.filter((x) => x <= quick) : xs);

export const commands: Curve = {
  id: 'local.growth.commands',
  run: (effort) =>
    withLocal(async (sandbox) => {
      const xs = upTo(effort, 100, [1, 3, 10, 30, 100, 300, 1000]);
      const repeat = (action: () => Promise<unknown>) => async (count: number) => {
        const total = await timed(async () => {
          for (let index = 0; index < count; index += 1) await action();
        });
        return total / count;
      };
      await mustSucceed(sandbox, 'true');
      return {
        id: 'local.growth.commands',
        what: 'commands in one sandbox, one after the other',
        x: 'commands',
        y: 'ms a command',
        lines: [
          {
            label: 'petasos exec',
            points: await along(
              xs,
              repeat(() => mustSucceed(sandbox, 'true')),
            ),
          },
          {
            label: 'raw spawn',
            points: await along(
              xs,
              repeat(() => rawBash('true')),
            ),
          },
        ],
      };
    }),
};

export const outputSize: Curve = {
  id: 'local.growth.output',
  run: (effort) =>
    withLocal(async (sandbox) => {
      const xs = upTo(effort, 16 << 20, [1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 24, 1 << 27, 1 << 30]);
      const read = (bytes: number) =>
        timed(async () => {
          const child = await sandbox.spawn(`head -c ${bytes} /dev/zero`);
          child.stderr.resume();
          for await (const _chunk of child.stdout);
          await child.exited;
        });
      await read(1024);
      return {
        id: 'local.growth.output',
        what: 'output of one command, streamed',
        x: 'bytes',
        y: 'ms',
        lines: [
          { label: 'petasos spawn', points: await along(xs, read) },
          { label: 'raw pipe', points: await along(xs, (bytes) => timed(() => rawBash(`head -c ${bytes} /dev/zero`))) },
        ],
      };
    }),
};

const fileBytes = 5_000;

async function makeTree(directory: string, files: number): Promise<string> {
  const tree = join(directory, `tree-${files}`);
  const content = Buffer.alloc(fileBytes, 'petasos\n');
  for (let index = 0; index < files; index += 1) {
    const folder = join(tree, `d${index % 100}`);
    if (index < 100) await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `f${index}`), content);
  }
  return tree;
}

export const files: Curve = {
  id: 'local.growth.files',
  run: (effort) =>
    withLocal(async (sandbox) => {
      const directory = await mkdtemp(join(tmpdir(), 'petasos-bench-'));
      try {
        const xs = upTo(effort, 1000, [1, 10, 100, 1000, 10_000]);
        const trees = new Map<number, string>();
        for (const x of xs) trees.set(x, await makeTree(directory, x));
        const treeOf = (x: number) => trees.get(x) ?? '';
        return {
          id: 'local.growth.files',
          what: `files of ${fileBytes} bytes, as one tree`,
          x: 'files',
          y: 'ms',
          lines: [
            {
              label: 'petasos upload',
              points: await along(xs, (x) => timed(() => sandbox.files.upload(treeOf(x), join(directory, `up-${x}`)))),
            },
            {
              label: 'petasos download',
              points: await along(xs, (x) => timed(() => sandbox.files.download(join(directory, `up-${x}`), join(directory, `down-${x}`)))),
            },
            {
              label: 'tar | tar',
              points: await along(xs, (x) =>
                timed(() =>
                  rawBash(`mkdir '${directory}/tar-${x}' && tar -C '${treeOf(x)}' -cf - . | tar -C '${directory}/tar-${x}' -xf -`),
                ),
              ),
            },
          ],
        };
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    }),
};

export const sandboxes: Curve = {
  id: 'local.growth.sandboxes',
  run: async (effort) => {
    const xs = upTo(effort, 10, [1, 2, 5, 10, 20, 50]);
    const openAll = async (count: number): Promise<number> => {
      const held: (() => void)[] = [];
      const done: Promise<void>[] = [];
      const total = await timed(() =>
        Promise.all(
          Array.from({ length: count }, async () => {
            const ready = new Promise<void>((resolve, reject) => {
              const hold = new Promise<void>((release) => held.push(release));
              const use = async (sandbox: Sandbox) => {
                await mustSucceed(sandbox, 'true');
                resolve();
                await hold;
              };
              done.push(withLocal(use).catch(reject));
            });
            await ready;
          }),
        ),
      );
      for (const release of held) release();
      await Promise.all(done);
      return total / count;
    };
    await openAll(1);
    return {
      id: 'local.growth.sandboxes',
      what: 'sandboxes open at once, each with one command',
      x: 'sandboxes',
      y: 'ms a sandbox',
      lines: [{ label: 'petasos open + exec', points: await along(xs, openAll) }],
    };
  },
};
