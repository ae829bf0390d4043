import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { consume } from '../consume.js';
import { ensure, equal, exited, fail } from '../expect.js';
import { memoryGrowth } from '../memory-growth.js';
import { type Context, scenarios } from '../scenario.js';

const mib = 1024 * 1024;
const defaultMiB = 64;
const warmUpMiB = 24;
/** Less than the file, and room for what the collector has not taken away yet. */
const boundMiB = 48;

export const largeFile = scenarios('files', [
  {
    id: 'F3.large-file',
    title: 'a large file goes up and comes back with the same SHA-256 and with bounded memory',
    deadlineMs: 120_000,
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      const size = context.subject.largeFileMiB ?? defaultMiB;
      const move = async (name: string, count: number) => {
        const { source, sha256 } = numberedBlocks(count);
        await files.write(`${directory}/${name}`, source);
        equal((await files.stat(`${directory}/${name}`)).size, count * mib, 'the size on the target');
        equal(await consume(await files.readStream(`${directory}/${name}`)), { bytes: count * mib, sha256: sha256() }, 'what came back');
      };
      await move('warm-up', Math.min(warmUpMiB, size));
      const grown = await memoryGrowth(() => move('large', size));
      ensure(grown < boundMiB * mib, `memory should grow by less than ${boundMiB} MiB, observed ${(grown / mib).toFixed(1)} MiB`);
    },
  },
  {
    id: 'F3.backpressure',
    title: 'a reader that stops reading has nothing pile up in memory, and may leave without harm',
    async run(context) {
      const { files } = context.sandbox;
      const path = `${await context.directory()}/file`;
      await makeLarge(context, path, 64);
      for await (const _ of await files.readStream(path, { length: 8 * mib }));
      let stream: Readable | undefined;
      const grown = await memoryGrowth(async () => {
        stream = await files.readStream(path);
        for await (const _ of stream.iterator({ destroyOnReturn: false })) break;
        exited(await context.sandbox.exec('sleep 1'));
      });
      stream?.destroy();
      ensure(grown < boundMiB * mib, `memory should grow by less than ${boundMiB} MiB, observed ${(grown / mib).toFixed(1)} MiB`);
      equal((await files.read(path, { offset: 64 * mib - 3 })).length, 3, 'bytes read after a reader has left');
    },
  },
]);

/** Blocks of a MiB that all differ, so that one lost, doubled or in the wrong place shows. */
function numberedBlocks(count: number): { readonly source: Readable; sha256(): string } {
  const hash = createHash('sha256');
  const source = Readable.from(
    (function* () {
      for (let i = 0; i < count; i++) {
        const block = Buffer.alloc(mib, `block ${i} `);
        hash.update(block);
        yield block;
      }
    })(),
  );
  return { source, sha256: () => hash.digest('hex') };
}

async function makeLarge(context: Context, path: string, sizeMiB: number): Promise<void> {
  exited(await context.sandbox.exec(`dd if=/dev/zero of=${path} bs=${mib} count=${sizeMiB} 2>/dev/null`));
  if ((await context.sandbox.files.stat(path)).size !== sizeMiB * mib) fail(`dd should have made a file of ${sizeMiB} MiB`);
}
