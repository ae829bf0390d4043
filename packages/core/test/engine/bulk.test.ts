import { createReadStream } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import local from '../../../backend-local/src/index.js';
import { type Backend, defineBackend } from '../../src/contract/index.js';
import { piecesBeyond } from '../../src/engine/job/bulk.js';
import { admitAll } from '../../src/index.js';
import { open } from '../../src/sandbox/index.js';
import type { Sandbox } from '../../src/sandbox/types.js';
import { weakBackend } from '../../src/testing/index.js';

let reads = 0;
let sandbox: Sandbox;

const weak: Backend<unknown> = weakBackend(local as Backend<unknown>);
/** The weakest driver, but for a way of its own to read files. */
const reading = defineBackend<unknown>({
  ...weak,
  create: async (options, spec) => ({
    ...(await weak.create(options, spec)),
    files: {
      async read(path, { offset, length = Number.POSITIVE_INFINITY }) {
        reads += 1;
        return createReadStream(path, { start: offset, end: offset + length - 1 });
      },
    },
  }),
});

beforeAll(async () => {
  sandbox = await open(reading, { options: { workdir: '/tmp' }, gate: admitAll() });
});

afterAll(() => sandbox.destroy());

it('much output comes through the place’s own way of reading files, byte for byte', async () => {
  const command = 'seq 1 2000000; seq 1 100000 >&2; exit 5';
  const result = await sandbox.exec(command, { maxOutputBytes: 64 * 1024 * 1024 });
  const lines = (last: number) => `${Array.from({ length: last }, (_, at) => at + 1).join('\n')}\n`;
  expect(result.exitCode).toBe(5);
  expect(result.stdout === lines(2_000_000)).toBe(true);
  expect(result.stderr === lines(100_000)).toBe(true);
  expect(reads).toBeGreaterThan(2);
});

it('little output does not need it', async () => {
  const before = reads;
  expect((await sandbox.exec('seq 1 1000')).stdout.length).toBe(3893);
  expect(reads).toBe(before);
});

it('of the files of a stream it reads what lies beyond, and of the newest no more than was there', () => {
  const listing = 'out.000000000000000 out.000000000000100 out.000000000000250 30\n';
  const at = (name: string, offset: number, length: number) => ({ path: `/d/out.000000000000${name}`, offset, length });
  expect(piecesBeyond(listing, '/d', 0)).toEqual([at('000', 0, 100), at('100', 0, 150), at('250', 0, 30)]);
  expect(piecesBeyond(listing, '/d', 120)).toEqual([at('100', 20, 130), at('250', 0, 30)]);
  expect(piecesBeyond(listing, '/d', 280)).toEqual([]);
});
