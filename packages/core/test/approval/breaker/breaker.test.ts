import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBreaker } from '../../../src/approval/memory/breaker.js';
import { createDirectoryTally, createMemoryTally, type Tally } from '../../../src/approval/memory/tally.js';
import { runNode } from '../support/node-process.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'petasos-breaker-'));
});
afterEach(() => rm(directory, { recursive: true }));

const kinds: readonly [string, () => Tally][] = [
  ['in memory', createMemoryTally],
  ['on disk', () => createDirectoryTally(path.join(directory, 'breaker'))],
];

describe.each(kinds)('%s', (_name, makeTally) => {
  test('three denials in a row open it, and it stays open', async () => {
    const breaker = createBreaker(makeTally());
    for (const [count, open] of [
      [1, false],
      [2, false],
      [3, true],
      [4, true],
    ] as const) {
      await breaker.denied('local/a', { at: count, note: `rm ${count}` });
      expect((await breaker.state('local/a')).open).toBe(open);
    }
    expect((await breaker.state('local/a')).denials.map((mark) => mark.note)).toEqual(['rm 1', 'rm 2', 'rm 3']);
  });

  test('an approval ends the row', async () => {
    const breaker = createBreaker(makeTally());
    await breaker.denied('a', { at: 1, note: '' });
    await breaker.denied('a', { at: 2, note: '' });
    await breaker.approved('a');
    await breaker.denied('a', { at: 3, note: '' });
    expect(await breaker.state('a')).toMatchObject({ open: false, denials: [{ at: 3 }] });
  });

  test('sandboxes are counted apart; reset closes one or all', async () => {
    const breaker = createBreaker(makeTally());
    for (const scope of ['a', 'b']) for (let at = 1; at <= 3; at += 1) await breaker.denied(scope, { at, note: '' });
    expect((await breaker.list()).map((state) => [state.scope, state.open]).sort()).toEqual([
      ['a', true],
      ['b', true],
    ]);
    await breaker.reset('a');
    expect([(await breaker.state('a')).open, (await breaker.state('b')).open]).toEqual([false, true]);
    await breaker.reset();
    expect(await breaker.list()).toEqual([]);
  });

  test('a scope with any characters is a plain name', async () => {
    const breaker = createBreaker(makeTally());
    for (const scope of ['../../etc', 'a/b', 'a\nb', '', '__proto__']) {
      await breaker.denied(scope, { at: 1, note: scope });
      expect((await breaker.state(scope)).denials).toEqual([{ at: 1, note: scope }]);
    }
  });
});

test('another process sees the state and can reset it; files are private', async () => {
  const first = createBreaker(createDirectoryTally(path.join(directory, 'breaker')));
  for (let at = 1; at <= 3; at += 1) await first.denied('a', { at, note: 'x' });
  const folder = path.join(directory, 'breaker', (await readdir(path.join(directory, 'breaker')))[0] ?? '');
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const name of await readdir(folder)) expect((await stat(path.join(folder, name))).mode & 0o777).toBe(0o600);
  const second = createBreaker(createDirectoryTally(path.join(directory, 'breaker')));
  expect((await second.state('a')).open).toBe(true);
  await second.reset();
  expect((await first.state('a')).open).toBe(false);
});

test('a state that cannot be read is an error, not a closed breaker', async () => {
  const breaker = createBreaker(createDirectoryTally(fileURLToPath(import.meta.url)));
  await expect(breaker.state('a')).rejects.toThrow('ENOTDIR');
});

test('ten processes that count at once lose nothing, while they clear another scope under each other', async () => {
  const tally = path.join(directory, 'breaker');
  const worker = new URL('./count.worker.ts', import.meta.url);
  const exits = await Promise.all(Array.from({ length: 10 }, () => runNode(worker, [tally, 'shared', 'cleared'])));
  expect(exits.filter((exit) => exit.code !== 0)).toEqual([]);
  expect(await createDirectoryTally(tally).list('shared')).toHaveLength(200);
});
