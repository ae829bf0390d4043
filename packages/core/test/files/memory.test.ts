import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { childFiles } from './child-runner.js';

const megabytes = 256;
const shell = { name: 'sh', shell: ['/bin/sh'] as const, path: process.env.PATH ?? '', dispose: () => {} };
let top: string;
const block = randomBytes(1 << 20);

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'petasos-memory-'));
});
afterAll(() => rmSync(top, { recursive: true }));

/** 256 MiB of which no two blocks are alike. */
function* blocks(): Generator<Buffer> {
  for (let index = 0; index < megabytes; index += 1) {
    const next = Buffer.from(block);
    next.writeUInt32LE(index);
    yield next;
  }
}

async function digest(stream: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}

/** How much this process grows at most while the work is done. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const sample = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 10);
  await work();
  clearInterval(sample);
  return (most - before) / (1 << 20);
}

it('a file of 256 MiB moves each way with bounded memory and every byte', async () => {
  const files = childFiles(shell, join(top, 'place'));
  const wanted = await digest(Readable.from(blocks(), { objectMode: false }));
  const source = join(top, 'local', 'big');
  mkdirSync(join(top, 'local'));
  await pipeline(Readable.from(blocks(), { objectMode: false }), createWriteStream(source));
  const grown = {
    write: await growth(() => files.write('big', createReadStream(source))),
    read: await growth(async () => expect(await digest(await files.readStream('big'))).toBe(wanted)),
    upload: await growth(() => files.upload(join(top, 'local'), 'tree')),
    download: await growth(() => files.download('tree', join(top, 'back'))),
  };
  expect(await digest(createReadStream(join(top, 'back', 'big')))).toBe(wanted);
  for (const [what, grew] of Object.entries(grown)) expect(grew, what).toBeLessThan(64);
}, 120_000);
