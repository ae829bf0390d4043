import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Box } from '../src/core/box.js';
import { ByteLog } from '../src/core/byte-log.js';
import { Clock } from '../src/core/clock.js';
import { Faults } from '../src/core/faults.js';
import type { BoxProcess } from '../src/core/process.js';
import { RateLimit } from '../src/core/quota.js';
import { RequestLog } from '../src/core/requests.js';
import { Store } from '../src/core/store.js';

let clock: Clock;
let store: Store;

beforeEach(() => {
  clock = new Clock();
  store = new Store(clock);
});

afterEach(async () => {
  clock.stop();
  await store.clear();
});

async function started(id: string, from?: string): Promise<Box> {
  const box = await store.create({ id, name: id, state: 'running', workdir: '/home/user', env: { PATH: '/usr/bin:/bin' }, from });
  await box.boot();
  return box;
}

async function said(process: BoxProcess): Promise<string> {
  await process.closed;
  return process.stdout.read(0).toString() + process.stderr.read(0).toString();
}

it('a sandbox has a root, a working directory and processes of its own', async () => {
  const [one, other] = await Promise.all([started('one'), started('other')]);
  expect(
    await said(one.spawn({ argv: ['sh', '-c', 'pwd; echo mine >/tmp/file; echo $X; ls /proc | grep -c "^[0-9]"'], env: { X: 'value' } })),
  ).toMatch(/^\/home\/user\nvalue\n[2-9]\n$/);
  expect(await said(other.spawn({ argv: ['cat', '/tmp/file'] }))).toContain('No such file');
  expect(await readFile(one.tree.locate('/tmp/file'), 'utf8')).toBe('mine\n');
  expect(await said(one.spawn({ argv: ['sh', '-c', 'echo x >/usr/petasos-test'] }))).toMatch(/Read-only|denied/);
});

it('halting ends every process, also those that left their session, and keeps the files', async () => {
  const box = await started('one');
  const process = box.spawn({ argv: ['sh', '-c', 'setsid sleep 1000 & echo kept >file; exec sleep 1000'] });
  await expect.poll(() => readFile(box.tree.locate('file'), 'utf8').catch(() => '')).toBe('kept\n');
  expect(box.running).toBe(1);
  await box.halt();
  expect(await process.exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
  await box.boot();
  expect(await said(box.spawn({ argv: ['sh', '-c', 'cat file; cat /proc/[0-9]*/comm | grep -c sleep'] }))).toBe('kept\n0\n');
});

it('orphans are reaped', async () => {
  const box = await started('one');
  await said(box.spawn({ argv: ['sh', '-c', '(setsid sh -c "sleep 0.05" </dev/null >/dev/null 2>&1 &)'] }));
  const zombies = 'cat /proc/[0-9]*/stat 2>/dev/null | grep -c ") Z " || true';
  await expect.poll(() => said(box.spawn({ argv: ['sh', '-c', `${zombies}; pgrep -x sleep`] }))).toBe('0\n');
});

it('a process group is signalled, and its status is told apart from a signal', async () => {
  const box = await started('one');
  const killed = box.spawn({ argv: ['sh', '-c', 'sleep 1000; true'] });
  await expect.poll(() => killed.end).toBe(undefined);
  killed.kill('SIGTERM');
  expect(await killed.exited).toEqual({ exitCode: null, signal: 'SIGTERM' });
  const exited = box.spawn({ argv: ['sh', '-c', 'cat; exit 7'] });
  exited.stdin.end('input');
  expect(await said(exited)).toBe('input');
  expect(await exited.exited).toEqual({ exitCode: 7, signal: null });
});

it('a snapshot has the files of its moment, and starts a sandbox that is independent', async () => {
  const box = await started('one');
  await said(box.spawn({ argv: ['sh', '-c', 'umask 077; echo then >file; ln -s /home/user/file link'] }));
  const snapshot = await store.snapshot(box, 'snap');
  await said(box.spawn({ argv: ['sh', '-c', 'echo later >file'] }));
  const restored = await started('two', snapshot.directory);
  expect(await said(restored.spawn({ argv: ['sh', '-c', 'cat link; stat -c %a file; echo elsewhere >file'] }))).toBe('then\n600\n');
  expect(await readFile(box.tree.locate('/home/user/link'), 'utf8')).toBe('later\n');
  await store.removeSnapshot(snapshot);
  expect(store.snapshots()).toEqual([]);
});

it('a sandbox without network has the loopback alone', async () => {
  const box = await store.create({
    id: 'one',
    name: 'one',
    state: 'running',
    workdir: '/root',
    env: { PATH: '/usr/bin:/bin' },
    offline: true,
  });
  await box.boot();
  expect(await said(box.spawn({ argv: ['sed', '-n', '3,$s/:.*//p', '/proc/net/dev'] }))).toMatch(/^\s*lo\n$/);
});

it('a path is found as the sandbox sees it, through absolute links and mounts', async () => {
  const box = await store.create({ id: 'one', name: 'one', state: 'running', workdir: '/root', env: { PATH: '/usr/bin:/bin' } });
  const volume = await mkdtemp(path.join(tmpdir(), 'petasos-volume-'));
  try {
    await box.tree.bind(volume, '/data');
    await box.boot();
    await said(box.spawn({ argv: ['sh', '-c', 'echo shared >/data/file; ln -s /data/file /tmp/link'] }));
    expect(await readFile(path.join(volume, 'file'), 'utf8')).toBe('shared\n');
    expect(box.tree.locate('/tmp/link')).toBe(path.join(volume, 'file'));
    expect(box.tree.locate('/tmp/link', false)).toBe(path.join(box.tree.root, 'tmp/link'));
    expect(box.tree.locate('/../../etc/passwd')).toBe('/etc/passwd');
  } finally {
    await store.clear();
    await rm(volume, { recursive: true });
  }
});

it('everything of an account is gone when it is cleared', async () => {
  const directory = await store.directory();
  await started('one');
  await store.clear();
  await expect(readdir(directory)).rejects.toThrow('ENOENT');
});

it('a byte log is replayed from any offset, in memory and beyond it', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'petasos-log-'));
  const log = new ByteLog(path.join(directory, 'log'));
  log.append(Buffer.from('abc'));
  expect(log.read(1).toString()).toBe('bc');
  log.append(Buffer.alloc(1_000_000, 'x'));
  log.append(Buffer.from('end'));
  expect(log.read(1_000_000, 10).toString()).toBe('xxxend');
  expect(log.read(0, 4).toString()).toBe('abcx');
  const followed: Buffer[] = [];
  const reading = (async () => {
    for await (const chunk of log.follow(1_000_003)) followed.push(chunk);
  })();
  await expect.poll(() => Buffer.concat(followed).toString()).toBe('end');
  log.append(Buffer.from('more'));
  log.end();
  await reading;
  expect(Buffer.concat(followed).toString()).toBe('endmore');
  log.dispose();
  expect(await readdir(directory)).toEqual([]);
  await rm(directory, { recursive: true });
});

it('a writer waits while nobody reads', async () => {
  const log = new ByteLog('/nonexistent');
  log.append(Buffer.alloc(100));
  let free = false;
  const room = log.room(50).then(() => {
    free = true;
  });
  await writeFile('/dev/null', '');
  expect(free).toBe(false);
  log.read(0, 60);
  await room;
});

it('time passes when a test says so, and timers do not notice a wrong clock', () => {
  const fired: string[] = [];
  clock.after(60_000, () => fired.push('minute'));
  const cancel = clock.after(60_000, () => fired.push('cancelled'));
  cancel();
  clock.skew(3_600_000);
  expect(clock.now() - Date.now()).toBeGreaterThan(3_500_000);
  expect(fired).toEqual([]);
  clock.advance(59_000);
  expect(fired).toEqual([]);
  clock.advance(1_000);
  expect(fired).toEqual(['minute']);
});

it('a rate limit says how long to wait', () => {
  const limit = new RateLimit(clock, { perMinute: 60, burst: 2 });
  expect([limit.take(), limit.take()]).toEqual([0, 0]);
  expect(limit.take()).toBeGreaterThan(900);
  clock.advance(1_000);
  expect(limit.take()).toBe(0);
});

it('a fault meets the requests it was meant for, as often as was said', () => {
  const faults = new Faults();
  faults.add({ on: '^POST /exec', fault: { kind: 'delay', ms: 1 }, times: 2, skip: 1 });
  expect(['GET /exec', 'POST /exec', 'POST /exec', 'POST /exec', 'POST /exec'].map((name) => faults.take(name)?.kind)).toEqual([
    undefined,
    undefined,
    'delay',
    'delay',
    undefined,
  ]);
  expect(faults.pending).toBe(0);
});

it('the request log keeps no credential', () => {
  const log = new RequestLog();
  log.record('POST /a', { authorization: 'Bearer secret', 'x-token': 'secret', accept: '*/*' }, { a: 1 });
  expect(JSON.stringify(log.matching())).not.toContain('secret');
  expect(log.matching(/POST/)).toHaveLength(1);
});
