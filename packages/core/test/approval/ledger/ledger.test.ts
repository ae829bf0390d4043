import { chmod, copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLedger } from '../../../src/approval/memory/ledger.js';
import { type ApprovalSubject, memorable } from '../../../src/approval/memory/subject.js';
import { command, home, oneUnit } from '../support/commands.js';
import { runNode } from '../support/node-process.js';

let directory: string;
beforeEach(async () => {
  directory = path.join(await mkdtemp(path.join(tmpdir(), 'petasos-ledger-')), 'approvals');
});
afterEach(() => rm(path.dirname(directory), { recursive: true }));

function subject(words: string): ApprovalSubject {
  const { unit, assessment } = oneUnit(command(words));
  const answer = memorable(unit, assessment, home, words);
  if (answer === undefined) throw new Error('not memorable');
  return answer.subject;
}

test('a session answer ends with the ledger, a durable one does not', async () => {
  const first = createLedger({ directory, clock: () => 1_000 });
  await first.remember(subject('rm -rf a'), 'session', 'ann');
  await first.remember(subject('rm -rf b'), 'always', 'ann');
  expect((await first.find(subject('rm -rf a')))?.lifetime).toBe('session');
  const second = createLedger({ directory });
  expect(await second.find(subject('rm -rf a'))).toBeUndefined();
  expect(await second.find(subject('rm -rf b'))).toMatchObject({ lifetime: 'always', by: 'ann', at: new Date(1_000) });
  expect((await second.list()).map((entry) => entry.subject.argv)).toEqual([['rm', '-rf', 'b']]);
});

test('without a directory nothing is written and always lasts as long as the ledger', async () => {
  const ledger = createLedger();
  await ledger.remember(subject('rm -rf a'), 'always', 'ann');
  expect(await ledger.find(subject('rm -rf a'))).toBeDefined();
  expect(await createLedger().find(subject('rm -rf a'))).toBeUndefined();
});

test('files are private and hold nothing half-written', async () => {
  await createLedger({ directory }).remember(subject('rm -rf a'), 'always', 'ann');
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  const names = await readdir(directory);
  expect(names).toHaveLength(1);
  expect((await stat(path.join(directory, names[0] ?? ''))).mode & 0o777).toBe(0o600);
});

test('revoke takes one away, also by the beginning of its id', async () => {
  const ledger = createLedger({ directory });
  const always = await ledger.remember(subject('rm -rf a'), 'always', 'ann');
  const session = await ledger.remember(subject('rm -rf b'), 'session', 'ann');
  expect(await ledger.revoke(always.id.slice(0, 10))).toBe(true);
  expect(await ledger.revoke(session.id)).toBe(true);
  expect(await ledger.revoke(always.id)).toBe(false);
  expect(await ledger.list()).toEqual([]);
});

test.each(['', 'abc', '../../../etc/passwd'])('revoke of %j removes nothing', async (id) => {
  const ledger = createLedger({ directory });
  await ledger.remember(subject('rm -rf a'), 'always', 'ann');
  await ledger.revoke(id).catch((error: unknown) => expect(error).toMatchObject({ code: 'invalid-request' }));
  expect(await ledger.list()).toHaveLength(1);
});

describe('a damaged entry is refused with its path and what is wrong, and stays as it is', () => {
  test.each<[string, (text: string) => string, string]>([
    ['empty', () => '', 'this remembered approval is not valid JSON'],
    ['cut', (text) => text.slice(0, 40), 'this remembered approval is not valid JSON'],
    ['a list', () => '[]', 'this remembered approval is not an object'],
    ['a later version', (text) => text.replace('"version":1', '"version":2'), 'version is 2, expected 1'],
    ['no person', (text) => text.replace('"by":"ann"', '"by":7'), '"by" must be a text'],
    ['no time', (text) => text.replace(/"at":"[^"]*"/, '"at":"soon"'), '"at" must be a time'],
    ['no words', (text) => text.replace('"argv":["rm","-rf","a"]', '"argv":"rm -rf a"'), '"subject.argv" must be a list of texts'],
    [
      'another command',
      (text) => text.replace('"a"]', '"/"]'),
      'the content does not belong to the name of the file: it was changed, or copied from another entry',
    ],
    [
      'another directory',
      (text) => text.replace('/home/dev/project', '/home/dev'),
      'the content does not belong to the name of the file: it was changed, or copied from another entry',
    ],
  ])('%s', async (_name, damage, problem) => {
    const ledger = createLedger({ directory });
    const { id } = await ledger.remember(subject('rm -rf a'), 'always', 'ann');
    const file = path.join(directory, `${id}.json`);
    const damaged = damage(await readFile(file, 'utf8'));
    await writeFile(file, damaged);
    const expected = {
      code: 'invalid-options',
      message: expect.stringContaining(`${file}:1: ${problem}`),
      remedy: expect.stringContaining(file),
    };
    await expect(createLedger({ directory }).find(subject('rm -rf a'))).rejects.toMatchObject(expected);
    await expect(createLedger({ directory }).list()).rejects.toMatchObject(expected);
    expect(await readFile(file, 'utf8')).toBe(damaged);
    expect(await ledger.revoke(id)).toBe(true);
    expect(await ledger.list()).toEqual([]);
  });

  test('an approval copied to the name of another command', async () => {
    const ledger = createLedger({ directory });
    const { id } = await ledger.remember(subject('ls a'), 'always', 'ann');
    const other = await createLedger().remember(subject('rm -rf /srv'), 'session', 'ann');
    await copyFile(path.join(directory, `${id}.json`), path.join(directory, `${other.id}.json`));
    await chmod(path.join(directory, `${other.id}.json`), 0o600);
    await expect(ledger.find(subject('rm -rf /srv'))).rejects.toThrow('does not belong to the name of the file');
  });

  test('one that others can write', async () => {
    const ledger = createLedger({ directory });
    const { id } = await ledger.remember(subject('rm -rf a'), 'always', 'ann');
    await chmod(path.join(directory, `${id}.json`), 0o666);
    await expect(ledger.find(subject('rm -rf a'))).rejects.toThrow('can be written by other users');
  });
});

test('a directory that cannot be read is an error, not an empty ledger', async () => {
  await createLedger({ directory }).remember(subject('rm -rf a'), 'always', 'ann');
  const file = path.join(directory, (await readdir(directory))[0] ?? '');
  await expect(createLedger({ directory: file }).list()).rejects.toThrow('ENOTDIR');
  await expect(createLedger({ directory: file }).find(subject('rm -rf a'))).rejects.toThrow('ENOTDIR');
});

test('twenty processes give a hundred answers each and more in common: none is lost', async () => {
  const worker = new URL('./remember.worker.ts', import.meta.url);
  const exits = await Promise.all(Array.from({ length: 20 }, (_unused, index) => runNode(worker, [directory, String(index)])));
  expect(exits.filter((exit) => exit.code !== 0)).toEqual([]);
  const ledger = createLedger({ directory });
  const kept = new Set((await ledger.list()).map((entry) => entry.subject.argv.join(' ')));
  for (let writer = 0; writer < 20; writer += 1) {
    for (let count = 0; count < 100; count += 1) expect(kept).toContain(`rm -rf build-${writer}-${count}`);
  }
  expect(kept.size).toBe(20 * 100 + 100);
  expect((await readdir(directory)).filter((name) => !name.endsWith('.json'))).toEqual([]);
});
