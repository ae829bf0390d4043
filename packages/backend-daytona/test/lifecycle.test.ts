import daytona from '@petasos/backend-daytona';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, hostEnv, openSandbox, startEmulator } from './place.js';

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator();
});

afterEach(async () => {
  for (const { id } of (await emulator.state()).boxes) await emulator.act('gone', id);
  await emulator.clearFaults();
  await emulator.setKnobs({ createBurst: 600, maxSandboxes: 1000, failStarts: 0, minuteMs: 60_000, retryAfter: true });
});

afterAll(() => emulator.close());

const create = '^POST /api/sandbox$';
const eventually = { timeout: 10_000 };
const held = async () => (await emulator.state()).boxes.length;

describe('creating', () => {
  it.each([
    ['a 502 after it was made', { kind: 'status', status: 502, when: 'after' }],
    ['a 502 before', { kind: 'status', status: 502 }],
    ['a connection cut after it was made', { kind: 'reset', when: 'after' }],
    ['a 429', { kind: 'status', status: 429, headers: { 'retry-after': '0.2' } }],
  ] as const)('%s leaves one sandbox, which is used', async (_, fault) => {
    await emulator.fault({ on: create, fault });
    const sandbox = await openSandbox(emulator);
    expect(await held()).toBe(1);
    expect(sandbox.origin).toBe('created');
    await sandbox.destroy();
    expect(await held()).toBe(0);
  });

  it('a 429 while its state is asked for neither fails it nor leaks it', async () => {
    await emulator.fault({ on: '^GET /api/sandbox/', fault: { kind: 'status', status: 429 }, times: 2 });
    await (await openSandbox(emulator)).destroy();
    expect(await held()).toBe(0);
  });

  it('a sandbox that fails to start is removed, and the error says why', async () => {
    await emulator.setKnobs({ failStarts: 1 });
    await expect(openSandbox(emulator)).rejects.toMatchObject({
      code: 'place-failed',
      message: expect.stringContaining('no runner has room'),
    });
    expect(await held()).toBe(0);
  });

  it('a full account is told as quota', async () => {
    await emulator.setKnobs({ maxSandboxes: 0 });
    await expect(openSandbox(emulator)).rejects.toMatchObject({ code: 'quota', retryable: false });
  });

  it('a rate limit that does not end is told as rate-limited and retryable, and waiting is told while it lasts', async () => {
    const told: string[] = [];
    await emulator.fault({ on: create, fault: { kind: 'status', status: 429, headers: { 'retry-after': '600' } }, times: 99 });
    await expect(openSandbox(emulator)).rejects.toMatchObject({ code: 'rate-limited', retryable: true });
    await emulator.clearFaults();
    await emulator.fault({ on: create, fault: { kind: 'status', status: 429, headers: { 'retry-after': '0.1' } } });
    const sandbox = await openSandbox(emulator, {}, { onProgress: ({ detail }) => told.push(detail ?? '') });
    expect(told.join('\n')).toContain('rate limited');
    await sandbox.destroy();
  });

  it('options are not changed by the SDK and can be used again', async () => {
    const labels = Object.freeze({ 'petasos.mine': 'yes' });
    const [one, two] = await Promise.all([openSandbox(emulator, {}, { labels }), openSandbox(emulator, {}, { labels })]);
    const listed = await daytona.list({ persistent: true, volumes: [], network: 'open' }, { env: hostEnv(emulator), platform: 'linux' });
    expect(listed.filter((entry) => entry.labels['petasos.mine'] === 'yes')).toHaveLength(2);
    await Promise.all([one.destroy(), two.destroy()]);
  });
});

it('resources, image, region, network, volumes and intervals go where Daytona wants them', async () => {
  const sandbox = await openSandbox(
    emulator,
    {
      image: 'debian:12',
      cpus: 1.5,
      memoryMiB: 1500,
      diskMiB: 51_200,
      region: 'eu',
      volumes: ['data:/data'],
      network: { allow: ['10.0.0.0/8', '192.0.2.1', 'example.com'] },
      autoArchiveMinutes: 60,
    },
    { idleLimitMs: 90_000, lifetimeMs: 3_600_000 },
  );
  const [request] = await emulator.requests(create).then((all) => all.slice(-1));
  expect(request?.body).toMatchObject({
    buildInfo: { dockerfileContent: 'FROM debian:12\n' },
    cpu: 2,
    memory: 2,
    disk: 10,
    target: 'eu',
    networkAllowList: '10.0.0.0/8,192.0.2.1/32',
    domainAllowList: 'example.com',
    autoStopInterval: 2,
    autoArchiveInterval: 60,
    autoDeleteInterval: -1,
    ttlMinutes: 60,
  });
  await sandbox.exec('echo kept >/data/file');
  const { cost, machine, network, lifetimeLeftMs, warnings } = await sandbox.placement();
  expect(machine).toMatchObject({ image: 'debian:12', region: 'eu' });
  expect(network).toEqual({ mode: 'allowlist', allowed: ['10.0.0.0/8', '192.0.2.1/32', 'example.com'] });
  expect(lifetimeLeftMs).toBeGreaterThan(3_500_000);
  // 2 vCPUs at 0.0504, 2 GiB at 0.0162, 5 of 10 GiB of disk at 0.000108 an hour.
  expect(cost).toEqual({
    class: 'metered',
    perHourUsd: 0.1337,
    asOf: '2026-05-25',
    source: 'https://www.daytona.io/pricing, at second hand',
  });
  expect(warnings.map(({ id }) => id)).toEqual(['lifetime.auto-stop']);
  await sandbox.destroy();
  const other = await openSandbox(emulator, { volumes: ['data:/data'] });
  expect((await other.exec('cat /data/file')).stdout).toBe('kept\n');
  await other.destroy();
});

it('resources without an image are refused before anything is asked for', async () => {
  await expect(openSandbox(emulator, { cpus: 2 })).rejects.toMatchObject({ code: 'invalid-options' });
});

describe('a sandbox that sleeps', () => {
  it('auto-stop counts only requests: a command that runs longer keeps the sandbox awake', async () => {
    await emulator.setKnobs({ minuteMs: 5_000 });
    const sandbox = await openSandbox(emulator, { autoStopMinutes: 1 });
    expect((await sandbox.exec('sleep 6; echo done')).stdout).toBe('done\n');
    await sandbox.destroy();
  });

  it('a stopped sandbox answers 400 from the proxy: the next command starts it', async () => {
    const sandbox = await openSandbox(emulator);
    await sandbox.files.write('file', 'kept');
    await emulator.act('stop', sandbox.id);
    expect((await sandbox.exec('cat file')).stdout).toBe('kept');
    await sandbox.destroy();
  });

  it('an archived sandbox is restored when it is attached to', async () => {
    const first = await openSandbox(emulator, {}, { name: 'archived' });
    await first.files.write('file', 'kept');
    await first.close();
    await emulator.act('stop', 'archived');
    await emulator.act('archive', 'archived');
    const second = await openSandbox(emulator, {}, { name: 'archived' });
    expect([second.origin, await second.files.readText('file')]).toEqual(['attached', 'kept']);
    await second.destroy();
  });

  it('a command that auto-stop cuts off is told as such, without an exit code', async () => {
    const sandbox = await openSandbox(emulator);
    let started = false;
    const running = sandbox.exec('echo started; sleep 60', { onStdout: () => (started = true) });
    await expect.poll(() => started, eventually).toBe(true);
    await emulator.act('stop', sandbox.id);
    const result = await running;
    expect([['disconnected', 'destroyed'].includes(result.ended), result.exitCode, result.stdout]).toEqual([true, null, 'started\n']);
    expect((await sandbox.exec('echo again')).stdout).toBe('again\n');
    await sandbox.destroy();
  });

  it('without persistence a stop removes it', async () => {
    const sandbox = await openSandbox(emulator, { persistent: false });
    await sandbox.close();
    await emulator.act('stop', sandbox.id);
    await expect.poll(held, eventually).toBe(0);
  });
});

it('the end of the lifetime ends it, and extending moves the end', async () => {
  const sandbox = await openSandbox(emulator, {}, { lifetimeMs: 60_000 });
  await emulator.advance(61_000);
  await expect.poll(held, eventually).toBe(0);
  await expect(sandbox.exec('true')).rejects.toMatchObject({ code: 'destroyed' });
});

it('destroying removes its snapshots too', async () => {
  const sandbox = await openSandbox(emulator);
  await emulator.fault({ on: 'POST .*/snapshot$', fault: { kind: 'status', status: 502, when: 'after' } });
  await sandbox.snapshot();
  expect((await emulator.state()).snapshots).toHaveLength(1);
  await sandbox.destroy();
  expect(await emulator.state()).toEqual({ boxes: [], snapshots: [] });
});
