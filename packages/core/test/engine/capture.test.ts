import { mkdtemp, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Capture, SpillDirectory } from '../../src/engine/capture.js';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'capture-test-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function captured(chunks: readonly Uint8Array[], limit: number) {
  const capture = new Capture(limit, 'stdout', async () => directory);
  for (const chunk of chunks) await capture.push(Buffer.from(chunk));
  return capture.finish();
}

describe('a captured stream', () => {
  it('keeps 40 % of its head and 60 % of its tail, and every byte in the spill file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 120 }),
        async (chunks, limit) => {
          const whole = Buffer.concat(chunks);
          const result = await captured(chunks, limit);
          expect(result.totalBytes).toBe(whole.length);
          if (whole.length <= limit) {
            expect(Buffer.from(result.bytes)).toEqual(whole);
            expect(result.spillPath).toBeUndefined();
            return;
          }
          const head = Math.floor(limit * 0.4);
          expect(Buffer.from(result.bytes)).toEqual(
            Buffer.concat([whole.subarray(0, head), whole.subarray(whole.length - (limit - head))]),
          );
          expect(result.cutBytes).toBe(whole.length - limit);
          expect(await readFile(result.spillPath ?? '')).toEqual(whole);
          expect((await stat(result.spillPath ?? '')).mode & 0o777).toBe(0o600);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('writes the many lines of a fast command together, not one by one', async () => {
    const probe = await open(path.join(directory, 'probe'), 'w');
    const writes = vi.spyOn(Object.getPrototypeOf(probe), 'writeFile');
    await probe.close();
    const lines = Array.from({ length: 50_000 }, (_, index) => Buffer.from(`the line with number ${index}\n`));
    const capture = new Capture(10_000, 'stdout', async () => directory);
    for (const line of lines) await capture.push(line);
    const result = await capture.finish();
    expect(Buffer.concat(lines).equals(await readFile(result.spillPath ?? ''))).toBe(true);
    expect(writes.mock.calls.length).toBeLessThan(100);
    writes.mockRestore();
  });

  it('goes on when the disk refuses the spill file, and says so', async () => {
    const capture = new Capture(10, 'stdout', async () => path.join(directory, 'missing'));
    for (let index = 0; index < 10; index += 1) await capture.push(Buffer.from('0123456789'));
    const result = await capture.finish();
    expect(result.bytes.length).toBe(10);
    expect(result.spillPath).toBeUndefined();
    expect(result.spillError).toMatch(/ENOENT/);
  });

  it('leaves a spill directory only while a reader has files in it', async () => {
    const spills = new SpillDirectory();
    const made = await spills.path();
    expect((await stat(made)).mode & 0o777).toBe(0o700);
    await spills.close();
    expect(await readdir(path.dirname(made))).not.toContain(path.basename(made));
  });
});
