import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAudit } from '../../../src/approval/record/audit.js';
import type { AuditFilter, AuditItem } from '../../../src/approval/record/audit-reader.js';
import { readAudit } from '../../../src/approval/record/audit-reader.js';
import { runNode } from '../support/node-process.js';
import { decision, end } from '../support/records.js';

let directory: string;
beforeEach(async () => {
  directory = path.join(await mkdtemp(path.join(tmpdir(), 'petasos-audit-')), 'state');
});
afterEach(() => rm(path.dirname(directory), { recursive: true }));

async function all(filter?: AuditFilter): Promise<AuditItem[]> {
  const items: AuditItem[] = [];
  for await (const item of readAudit(directory, filter)) items.push(item);
  return items;
}

const ids = (items: readonly AuditItem[]) =>
  items.map((item) => (item.kind === 'command' ? item.decision.id : `${item.line}: ${item.message}`));

test('a command and its end are one item, in the order of the decisions', async () => {
  const audit = createAudit({ directory });
  audit.write(decision({ id: 'slow' }));
  audit.write(decision({ id: 'quick' }));
  audit.write(end({ id: 'quick', exitCode: 3 }));
  audit.write(decision({ id: 'refused', outcome: 'denied', by: 'nobody' }));
  audit.write(end({ id: 'slow' }));
  audit.write(decision({ id: 'running' }));
  const items = await all();
  expect(ids(items)).toEqual(['slow', 'quick', 'refused', 'running']);
  expect(items.map((item) => item.kind === 'command' && item.end?.exitCode)).toEqual([0, 3, undefined, undefined]);
});

test('filters: since and denied', async () => {
  const audit = createAudit({ directory });
  audit.write(decision({ id: 'old', time: '2026-03-01T00:00:00.000Z', outcome: 'denied' }));
  audit.write(decision({ id: 'new', time: '2026-03-02T00:00:00.000Z' }));
  audit.write(decision({ id: 'new-denied', time: '2026-03-02T00:00:00.000Z', outcome: 'denied' }));
  expect(ids(await all({ since: new Date('2026-03-02') }))).toEqual(['new-denied', 'new'].reverse());
  expect(ids(await all({ denied: true }))).toEqual(['old', 'new-denied']);
  expect(ids(await all({ denied: true, since: new Date('2026-03-02') }))).toEqual(['new-denied']);
});

test('the file is private, one line a record', async () => {
  createAudit({ directory }).write(decision({ command: "printf 'a\nb'" }));
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  expect((await stat(path.join(directory, 'audit.jsonl'))).mode & 0o777).toBe(0o600);
  expect((await readFile(path.join(directory, 'audit.jsonl'), 'utf8')).split('\n')).toHaveLength(2);
});

test('no record yet', async () => {
  expect(await all()).toEqual([]);
});

test('a damaged line is named, the others are read', async () => {
  const audit = createAudit({ directory });
  audit.write(decision({ id: 'a', outcome: 'denied' }));
  await appendFile(path.join(directory, 'audit.jsonl'), 'garbage\n{"kind":"decision"}\n');
  audit.write(decision({ id: 'b', outcome: 'denied' }));
  expect(ids(await all())).toEqual(['a', '2: is not valid JSON', '3: is not a record of a decision or of an end', 'b']);
});

test('a torn last line is named, and does not spoil the next record', async () => {
  const audit = createAudit({ directory });
  audit.write(decision({ id: 'a', outcome: 'denied' }));
  await appendFile(path.join(directory, 'audit.jsonl'), '{"kind":"decision","id":"to');
  expect(ids(await all())).toEqual(['a', '2: is cut off: the process that wrote it was stopped, or the disk was full']);
  audit.write(decision({ id: 'b', outcome: 'denied' }));
  expect(ids(await all())).toEqual(['a', '2: is not valid JSON', 'b']);
});

test('rotation keeps the newest files, reads them in order, and joins over the border', async () => {
  let now = 1_000;
  const audit = createAudit({ directory, maxBytes: 1000, keep: 3, clock: () => (now += 1) });
  for (let index = 0; index < 20; index += 1) {
    audit.write(decision({ id: String(index).padStart(2, '0') }));
    audit.write(end({ id: String(index).padStart(2, '0') }));
  }
  const names = await readdir(directory);
  expect(names.filter((name) => name.startsWith('audit-'))).toHaveLength(3);
  expect(names).not.toContain('audit.rotating');
  for (const name of names) expect((await stat(path.join(directory, name))).size).toBeLessThanOrEqual(1000);
  const items = await all();
  expect(ids(items)).toEqual([...ids(items)].sort());
  expect(ids(items).at(-1)).toBe('19');
  expect(items.every((item) => item.kind === 'command' && item.end !== undefined)).toBe(true);
  expect(ids(await all({ since: new Date(now + 1) })).length).toBeGreaterThan(0);
});

test('a lock that a dead process left is removed', async () => {
  const audit = createAudit({ directory, maxBytes: 500 });
  audit.write(decision({ id: 'a' }));
  const lock = path.join(directory, 'audit.rotating');
  await writeFile(lock, '');
  audit.write(decision({ id: 'b' }));
  expect((await readdir(directory)).filter((name) => name.startsWith('audit-'))).toEqual([]);
  await utimes(lock, new Date(0), new Date(0));
  audit.write(decision({ id: 'c' }));
  audit.write(decision({ id: 'd' }));
  expect((await readdir(directory)).filter((name) => name.startsWith('audit-'))).toHaveLength(1);
  expect(ids(await all())).toEqual(['a', 'b', 'c', 'd']);
});

test('what cannot be written is an error that names the file', async () => {
  await mkdir(path.join(directory, 'audit.jsonl'), { recursive: true });
  expect(() => createAudit({ directory }).write(decision())).toThrow(
    expect.objectContaining({ code: 'not-approved', message: `the audit record ${path.join(directory, 'audit.jsonl')} cannot be written` }),
  );
});

test.each([
  ['one file', 10 * 1024 * 1024],
  // Who finds another one at it goes on writing: on a busy machine it comes to pass a third as often as there is room for.
  ['rotating all the time', 5_000],
])('ten processes that write at once tear and lose nothing: %s', async (_name, maxBytes) => {
  const worker = new URL('./write.worker.ts', import.meta.url);
  const exits = await Promise.all(
    Array.from({ length: 10 }, (_unused, index) => runNode(worker, [directory, String(index), '200', String(maxBytes)])),
  );
  expect(exits.filter((exit) => exit.code !== 0)).toEqual([]);
  const items = await all();
  expect(items.filter((item) => item.kind === 'problem')).toEqual([]);
  expect(new Set(ids(items)).size).toBe(2000);
  expect(items).toHaveLength(2000);
  expect(items.filter((item) => item.kind === 'command' && item.end === undefined)).toEqual([]);
  const rotated = (await readdir(directory)).filter((name) => name.startsWith('audit-')).length;
  if (maxBytes > 1_000_000) expect(rotated).toBe(0);
  else expect(rotated).toBeGreaterThan(20);
});
