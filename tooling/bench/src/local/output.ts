import { createHash, randomFillSync } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open as openFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sideBySide } from '../measure.js';
import { memoryRise } from '../memory.js';
import { rawBash } from '../raw.js';
import type { Row } from '../row.js';
import { withLocal } from './place.js';

const MiB = 1024 * 1024;
/** Loads the code and opens the lane before the measurement. */
const warmUpBytes = 4 * MiB;
/**
 * Node alone rises by some 30 MiB while it reads a large pipe, since it collects what it has read late. So the measurement begins
 * after as much has been read through a bare pipe, and shows what Petasos adds.
 */
const readBare = (bytes: number) => rawBash(`head -c ${bytes} /dev/zero`);
const memoryBar = { atMost: 32 };

/** Output that somebody reads as it comes. */
export const streamed: Row = {
  id: 'local.stream',
  run: (effort) =>
    withLocal(async (sandbox) => {
      const bytes = (effort === 'quick' ? 128 : 1024) * MiB;
      const read = async (amount: number) => {
        const child = await sandbox.spawn(`head -c ${amount} /dev/zero`);
        child.stderr.resume();
        let seen = 0;
        for await (const chunk of child.stdout) seen += (chunk as Buffer).length;
        const { exitCode } = await child.exited;
        if (seen !== amount || exitCode !== 0) throw new Error(`${seen} of ${amount} bytes, exit code ${exitCode}`);
      };
      await read(warmUpBytes);
      await readBare(bytes);
      const rise = await memoryRise(() => read(bytes));
      const { ours, theirs, ratio } = await sideBySide(
        () => read(bytes),
        () => readBare(bytes),
        effort === 'quick' ? 3 : 5,
        1,
      );
      return {
        id: 'local.stream',
        what: `${bytes / MiB} MiB of stdout, streamed`,
        against: 'the same through a raw pipe',
        ours,
        theirs,
        figures: [
          { label: 'throughput', value: 1 / ratio, unit: '×', bar: { atLeast: 0.8 } },
          { label: 'memory above a bare pipe', value: rise, unit: 'MiB', bar: memoryBar },
        ],
      };
    }),
};

/** Output that the result holds: head and tail in memory, all of it in a file. */
export const captured: Row = {
  id: 'local.capture',
  run: (effort) =>
    withLocal(async (sandbox) => {
      const size = (effort === 'quick' ? 64 : 256) * MiB;
      const directory = await mkdtemp(join(tmpdir(), 'petasos-bench-'));
      try {
        const source = join(directory, 'source');
        await writeRandom(source, size);
        await sandbox.exec(`head -c ${warmUpBytes} '${source}'`, { spillDirectory: directory });
        await readBare(size);
        let spillPath: string | undefined;
        let totalBytes = 0;
        const rise = await memoryRise(async () => {
          const { output } = await sandbox.exec(`cat '${source}'`, { spillDirectory: directory });
          ({ spillPath, totalBytes } = output.stdout);
        });
        if (spillPath === undefined) throw new Error('nothing was spilled');
        const exact = (await sha256(spillPath)) === (await sha256(source));
        return {
          id: 'local.capture',
          what: `${size / MiB} MiB of output, captured`,
          against: 'its own bytes',
          figures: [
            { label: 'memory above a bare pipe', value: rise, unit: 'MiB', bar: memoryBar },
            {
              label: 'bytes lost or changed in the spill file',
              value: exact && totalBytes === size ? 0 : size,
              unit: 'bytes',
              bar: { atMost: 0 },
            },
          ],
        };
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    }),
};

async function writeRandom(path: string, size: number): Promise<void> {
  const file = await openFile(path, 'w', 0o600);
  const chunk = Buffer.alloc(MiB);
  for (let written = 0; written < size; written += chunk.length) await file.write(randomFillSync(chunk));
  await file.close();
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
