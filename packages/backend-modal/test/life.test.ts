import { setTimeout as delay } from 'node:timers/promises';
import modal from '@petasos/backend-modal';
import { expect, it } from 'vitest';
import { emulated } from './emulated.js';

const service = emulated();
const dayMs = 24 * 3_600_000;

const listed = async (name: string) =>
  (await modal.list({}, { env: service.hostEnv, platform: 'linux' })).filter(({ ref }) => ref.name === name).map(({ state }) => state);

it('a sandbox lives a day and not the five minutes of the SDK’s default', async () => {
  const sandbox = await service.open();
  const [request] = await service.emulator.requests('^SandboxCreateV2$');
  expect(request?.body).toMatchObject({ definition: { timeoutSecs: 86_400 } });
  const { lifetimeLeftMs, cost, warnings } = await sandbox.placement();
  expect(lifetimeLeftMs).toBeGreaterThan(dayMs - 60_000);
  expect(cost).toMatchObject({ class: 'metered', source: 'https://modal.com/pricing, at second hand' });
  expect(cost.perHourUsd).toBeGreaterThan(0);
  expect(warnings).toEqual([]);
});

it('a sandbox whose day is over ends its command, and goes on from its last files as a new one that says restored', async () => {
  const first = await service.open({ name: 'day' });
  await first.files.write('kept', 'content');
  const job = await first.jobs.start('sleep 1000');
  const running = first.exec('echo part; sleep 100');
  await expect.poll(async () => (await service.emulator.state()).boxes[0]?.processes).toBeGreaterThan(1);
  await first.exec('echo behind');
  await service.emulator.advance(dayMs);
  expect(await running).toMatchObject({ ended: 'destroyed', exitCode: null, stdout: 'part\n' });
  expect(await listed('day')).toEqual(['stopped']);
  const second = await service.open({ name: 'day' });
  expect([second.origin, second.id]).toEqual(['restored', first.id]);
  expect(await second.files.readText('kept')).toBe('content');
  expect(await second.jobs.get(job.id)).toMatchObject({ state: 'lost', exitCode: null });
  expect(await listed('day')).toEqual(['running']);
  expect((await service.emulator.state()).snapshots).toHaveLength(1);
  await second.destroy();
  expect((await service.emulator.state()).snapshots).toEqual([]);
  expect(await listed('day')).toEqual([]);
});

it('a sandbox that was lost before its last snapshot was taken goes on from one taken in time', async () => {
  const first = await service.open({ name: 'checkpoint', lifetimeMs: 8000 });
  await first.files.write('kept', 'content');
  await expect.poll(async () => (await service.emulator.state()).snapshots.length, { timeout: 8000 }).toBe(1);
  await expect
    .poll(async () => (await service.emulator.state()).boxes[0]?.labels['petasos.snapshot.checkpoint'], { timeout: 4000 })
    .toMatch(/^im-/);
  await service.emulator.act('lose-snapshot', 'checkpoint');
  await service.emulator.act('terminate', 'checkpoint');
  const second = await service.open({ name: 'checkpoint' });
  expect([second.origin, second.id]).toEqual(['restored', first.id]);
  expect(await second.files.readText('kept')).toBe('content');
});

it('a job keeps a sandbox awake that nobody holds; without one it sleeps after its idle limit', async () => {
  const first = await service.open({ name: 'job', idleLimitMs: 1000 });
  const job = await first.jobs.start('sleep 5; echo done');
  await first.close();
  await delay(3000);
  expect(await listed('job')).toEqual(['running']);
  await expect.poll(() => listed('job'), { timeout: 15_000, interval: 300 }).toEqual(['stopped']);
  const [request] = await service.emulator.requests('^SandboxCreateV2$');
  // Modal's own limit would count execs alone.
  expect(request?.body).not.toHaveProperty('definition.idleTimeoutSecs');
  const second = await service.open({ name: 'job' });
  expect(second.origin).toBe('restored');
  expect(await second.jobs.get(job.id)).toMatchObject({ state: 'exited', exitCode: 0 });
  expect(Buffer.from((await second.jobs.output(job.id)).bytes).toString()).toBe('done\n');
});

it('an extension begins another life with the same files and the same id', async () => {
  const sandbox = await service.open({ name: 'extended' });
  await sandbox.files.write('kept', 'content');
  const before = (await sandbox.placement()).machine.name;
  await service.emulator.advance(dayMs / 2);
  await sandbox.extend(dayMs);
  expect(await sandbox.files.readText('kept')).toBe('content');
  const after = await sandbox.placement();
  expect(after.machine.name).not.toBe(before);
  expect((await service.emulator.state()).boxes.map(({ name, labels }) => [name, labels['petasos.id']])).toEqual([
    ['extended', sandbox.id],
  ]);
});

it('setting one tag keeps the others, although the service replaces all', async () => {
  const sandbox = await service.open({ name: 'tags', labels: { project: 'one' } });
  await sandbox.pause();
  const [request] = await service.emulator.requests('^SandboxTagsSetV2$');
  const { tags } = (request?.body ?? { tags: [] }) as { tags: { tagName: string }[] };
  const names = tags.map(({ tagName }) => tagName);
  expect(names).toEqual(expect.arrayContaining(['project', 'petasos.id', 'petasos.owner', 'petasos.snapshot.asleep']));
  expect((await sandbox.exec('echo awake')).stdout).toBe('awake\n');
  expect((await service.emulator.state()).boxes[0]?.labels).toMatchObject({ project: 'one', 'petasos.id': sandbox.id });
});

it('a sandbox that is not persistent asks for no snapshot, leaves none, and may not live longer than a day', async () => {
  const sandbox = await service.open({ name: 'ephemeral', options: { persistent: false } });
  expect((await sandbox.placement()).storage).toBe('ephemeral');
  await service.emulator.act('expire', 'ephemeral');
  expect(await listed('ephemeral')).toEqual([]);
  expect((await service.emulator.state()).snapshots).toEqual([]);
  expect((await service.open({ name: 'ephemeral', options: { persistent: false } })).origin).toBe('created');
  await expect(service.open({ options: { persistent: false }, lifetimeMs: 2 * dayMs })).rejects.toMatchObject({ code: 'invalid-request' });
});

it('destroying a sandbox that sleeps deletes its files', async () => {
  const sandbox = await service.open({ name: 'asleep' });
  await sandbox.pause();
  expect(await listed('asleep')).toEqual(['stopped']);
  await modal.destroy({}, sandbox.ref, { env: service.hostEnv, platform: 'linux' });
  expect(await service.emulator.state()).toMatchObject({ boxes: [], snapshots: [] });
  expect((await service.open({ name: 'asleep' })).origin).toBe('created');
});

it('a snapshot right after the start, which fails, is taken a moment later', async () => {
  const sandbox = await service.open();
  await service.emulator.fault({ on: '^TaskSnapshotFilesystem$', fault: { kind: 'own', name: 'snapshot-fails' } });
  const image = await sandbox.snapshot();
  expect(image).toMatch(/^im-/);
  const snapshots = await service.emulator.requests('^TaskSnapshotFilesystem$');
  expect(snapshots.map(({ status }) => status)).toEqual([9, 0]);
  expect(snapshots[1]?.body).toMatchObject({ ttlSeconds: 30 * 24 * 3600 });
  // A process ran to its end before each.
  expect((await service.emulator.requests('^TaskExecStart$')).map(({ body }) => JSON.stringify(body)).join()).toContain('petasos-sync');
});

it('a snapshot may take longer than the 55 seconds of the SDK, and no longer than asked for', async () => {
  const sandbox = await service.open({ options: { snapshotTimeoutMs: 1000 } });
  await service.emulator.setKnobs({ snapshotMs: 5000 });
  try {
    await expect(sandbox.snapshot()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    // The service goes on with it, and so another would be a second one.
    expect(await service.emulator.requests('^TaskSnapshotFilesystem$')).toHaveLength(1);
  } finally {
    await service.emulator.setKnobs({ snapshotMs: 0 });
  }
});

it('a ref of a sandbox that does not exist is not taken for one, although the SDK makes a handle of any id', async () => {
  const ref = { backend: 'modal', id: 'nothing', name: 'nothing' };
  await expect(modal.attach({}, ref, { hostEnv: service.hostEnv })).rejects.toMatchObject({ code: 'sandbox-not-found' });
});

it('a sandbox that ended behind our back is a typed error and no raw gRPC status', async () => {
  const sandbox = await service.open({ options: { persistent: false } });
  await sandbox.exec(':');
  await service.emulator.act('vanish', sandbox.name);
  await expect(sandbox.exec('echo no')).rejects.toMatchObject({ code: 'destroyed', backend: 'modal' });
  await expect(sandbox.files.read('/etc/passwd')).rejects.toMatchObject({ code: 'destroyed' });
});

it('listing many sandboxes takes a few requests and not one for each', async () => {
  await service.emulator.setKnobs({ pageSize: 5 });
  try {
    await Promise.all(Array.from({ length: 12 }, (_, i) => service.open({ name: `many-${i}`, options: { persistent: false } })));
    await service.emulator.clearRequests();
    const found = await modal.list({ persistent: false }, { env: service.hostEnv, platform: 'linux' });
    expect(found.filter(({ ref }) => ref.name.startsWith('many-')).map(({ state }) => state)).toEqual(Array(12).fill('running'));
    expect(await service.emulator.requests('^SandboxTagsGet')).toEqual([]);
    expect((await service.emulator.requests('^SandboxListV2$')).length).toBeLessThan(10);
  } finally {
    await service.emulator.setKnobs({ pageSize: 20 });
  }
});

it('a GPU makes a sandbox of the first version, which is found, listed and used like the others', async () => {
  const first = await service.open({ name: 'gpu', options: { gpu: 'T4:2' } });
  expect((await first.exec('echo alive')).stdout).toBe('alive\n');
  const [request] = await service.emulator.requests('^SandboxCreate$');
  expect(request?.body).toMatchObject({ definition: { resources: { gpuConfig: { count: 2, gpuType: 'T4' } } } });
  const second = await service.open({ name: 'gpu', options: { gpu: 'T4:2' } });
  expect([second.origin, second.id]).toEqual(['attached', first.id]);
  expect(await listed('gpu')).toEqual(['running']);
  expect((await second.placement()).cost.perHourUsd).toBeGreaterThan(2 * 0.000164 * 3600);
  await second.close();
  await first.pause();
  expect((await first.exec('echo awake')).stdout).toBe('awake\n');
});

it('resources, region, ports, volumes and network are asked for as they were given', async () => {
  const options = {
    image: 'python:3.13-slim',
    cpus: 2,
    memoryMiB: 512,
    region: 'eu',
    ports: [8080],
    volumes: ['data:/data', 'models:/models:ro'],
    network: { domains: ['example.org'] },
  };
  const sandbox = await service.open({ options });
  const [build] = await service.emulator.requests('^ImageGetOrCreate$');
  expect(build?.body).toMatchObject({ image: { dockerfileCommands: ['FROM python:3.13-slim'] } });
  const [request] = await service.emulator.requests('^SandboxCreateV2$');
  expect(request?.body).toMatchObject({
    definition: {
      resources: { milliCpu: 2000, milliCpuMax: 2000, memoryMb: 512, memoryMbMax: 512 },
      placement: { regions: ['eu'] },
      openPorts: { ports: [{ port: 8080 }] },
      volumeMounts: [{ mountPath: '/data' }, { mountPath: '/models', readOnly: true }],
      networkAccess: { type: 3, allowedDomains: ['example.org'] },
    },
  });
  expect((await sandbox.exec('echo x >/data/file; echo no >/models/file; cat /data/file')).stdout).toBe('x\n');
  expect((await sandbox.forward(8080)).address).toBe('https://127.0.0.1:8080');
  const { limits, network, machine, warnings } = await sandbox.placement();
  expect([limits, network]).toEqual([
    { cpus: 2, memoryMiB: 512 },
    { mode: 'allowlist', allowed: ['example.org'] },
  ]);
  expect(machine).toMatchObject({ image: 'python:3.13-slim', region: 'eu' });
  expect(warnings.map(({ id }) => id)).toEqual(['ports.public']);
});

it('a forwarded port shows no token', async () => {
  const sandbox = await service.open();
  const server = await sandbox.spawn(
    `exec python3 -c 'import http.server; s = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler); print(s.server_port, flush=True); s.serve_forever()'`,
  );
  server.stderr.resume();
  const port = await new Promise<number>((resolve) => server.stdout.once('data', (chunk: Buffer) => resolve(Number(String(chunk).trim()))));
  const { address } = await sandbox.forward(port);
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const response = await fetch(`${address}/`);
  expect(response.status).toBe(200);
  await response.text();
});

it('time runs out for commands by our own clock: the SDK’s deadline, told as 137 or an error, is never used', async () => {
  const sandbox = await service.open();
  const result = await sandbox.exec('echo part; sleep 100', { timeoutMs: 700, graceMs: 200 });
  expect(result).toMatchObject({ ended: 'timed-out', exitCode: null, stdout: 'part\n' });
  const starts = await service.emulator.requests('^TaskExecStart$');
  expect(starts.filter(({ body }) => (body as { timeoutSecs?: number }).timeoutSecs !== undefined)).toEqual([]);
});

it('a command longer than the 64 KiB that the SDK takes runs, and a terminal of that length says why it does not', async () => {
  const sandbox = await service.open();
  expect((await sandbox.exec(`: ${'x'.repeat(100_000)}; echo long`)).stdout).toBe('long\n');
  await expect(sandbox.terminal({ command: `: ${'x'.repeat(70_000)}` })).rejects.toMatchObject({ code: 'invalid-request' });
});

it('the end of input is sent where the input ends, and not at offset 0', async () => {
  const sandbox = await service.open();
  expect((await sandbox.exec('cat | wc -c', { stdin: Buffer.alloc(300_000) })).stdout.trim()).toBe('300000');
  const ends = (await service.emulator.requests('^TaskExecStdinWrite$')).filter(({ body }) => (body as { eof?: boolean }).eof);
  expect(ends.length).toBeGreaterThan(0);
  for (const { body } of ends) expect((body as { offset?: number }).offset).toBeGreaterThan(0);
});

it('a sandbox without a name, which nobody opens again, costs no snapshot', async () => {
  const sandbox = await service.open();
  const id = (await service.emulator.state()).boxes.find(({ name }) => name === sandbox.name)?.id ?? 'none';
  // Of this one alone: another may still be taken that an earlier test did not wait for.
  const snapshots = async () => (await service.emulator.state()).snapshots.filter(({ origin }) => origin === id).length;
  expect((await sandbox.placement()).storage).toBe('ephemeral');
  await sandbox.files.write('kept', 'content');
  await sandbox.pause();
  expect(await snapshots()).toBe(1);
  expect(await sandbox.files.readText('kept')).toBe('content');
  await sandbox.destroy();
  expect(await service.emulator.requests('^SandboxGetExitSnapshot')).toEqual([]);
  expect(await snapshots()).toBe(0);
});
