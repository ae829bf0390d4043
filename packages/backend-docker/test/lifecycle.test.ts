import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { admitAll, open } from '@petasos/core';
import { sandboxOwner } from '@petasos/core/backend';
import { describe, expect, it } from 'vitest';
import { containerName } from '../src/container/labels.js';
import docker from '../src/index.js';
import { engine } from './place.js';
import { destroyOpened, image, inspect, newName, openDocker, plain } from './sandboxes.js';

const post = (id: string, action: string) =>
  engine.connection.send({ method: 'POST', path: `/containers/${id}/${action}`, what: `${action} the container` });

const containers = async () => (await engine.containers(['petasos.managed'])).map(({ Id }) => Id);

describe('a start that fails', () => {
  it('is a typed error and leaves nothing: no container stuck in Created', async () => {
    const before = await containers();
    const opening = openDocker({ runtime: 'no-such-runtime' }, { name: newName() });
    await expect(opening).rejects.toMatchObject({ name: 'PetasosError', code: 'place-failed', backend: 'docker' });
    // The program that is to be the first process is not in the mount.
    const directory = await mkdtemp(path.join(tmpdir(), 'empty-'));
    try {
      const used = openDocker({ volumes: [`${directory}:/usr/bin:ro`] }).then((sandbox) => sandbox.exec('true'));
      await expect(used).rejects.toMatchObject({ code: 'place-failed', remedy: expect.stringContaining('/bin/sh') });
    } finally {
      await rm(directory, { recursive: true });
    }
    await destroyOpened();
    expect(await containers()).toEqual(before);
  });

  it('says that a mount has no source, and makes no directory of it', async () => {
    const source = path.join(tmpdir(), newName());
    await expect(openDocker({ volumes: [`${source}:/data`] })).rejects.toMatchObject({
      code: 'place-failed',
      message: expect.stringContaining(source),
    });
    await expect(rm(source)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('a container that its maker left in Created is started by the next open', async () => {
    const name = newName();
    const first = await openDocker({}, { name });
    const details = await inspect(first);
    await first.close();
    await engine.removeContainer(first.id);
    // The same container, as a maker leaves it that is killed between making and starting.
    const { Id } = await engine.createContainer(
      containerName(name, sandboxOwner()),
      { ...details.Config, HostConfig: details.HostConfig },
      undefined,
    );
    const second = await openDocker({}, { name });
    expect([second.origin, second.id]).toEqual(['attached', Id]);
    expect((await second.exec('echo alive')).stdout).toBe('alive\n');
  });
});

describe('behind our back', () => {
  it('a removed container is destroyed for who holds it, and the next open makes another', async () => {
    const name = newName();
    const sandbox = await openDocker({}, { name });
    const running = sandbox.exec('echo ready; sleep 60');
    await expect.poll(async () => (await sandbox.exec('pgrep -f "sleep 60" || ls /proc/[0-9]*/comm | wc -l')).exitCode).toBe(0);
    const began = performance.now();
    await engine.removeContainer(sandbox.id);
    expect(await running).toMatchObject({ ended: 'destroyed', exitCode: null });
    expect(performance.now() - began).toBeLessThan(5000);
    await expect(sandbox.exec('true')).rejects.toMatchObject({ code: 'destroyed' });
    expect((await openDocker({}, { name })).origin).toBe('created');
  });

  it('a stopped container is destroyed for who holds it; the next open starts it with its files', async () => {
    const name = newName();
    const sandbox = await openDocker({}, { name });
    await sandbox.files.write('kept', 'kept');
    await post(sandbox.id, 'stop');
    await expect(sandbox.exec('true')).rejects.toMatchObject({ code: 'destroyed' });
    const second = await openDocker({}, { name });
    expect([second.origin, second.id]).toEqual(['attached', sandbox.id]);
    expect(await second.files.readText('kept')).toBe('kept');
  });

  it('a paused container wakes for the next command', async () => {
    const sandbox = await openDocker();
    await engine.pause(sandbox.id);
    expect((await sandbox.exec('echo awake', { timeoutMs: 15_000 })).stdout).toBe('awake\n');
  });

  it('a container that was killed for want of memory says so', async () => {
    const sandbox = await openDocker({ memoryMiB: 64 });
    expect((await sandbox.exec('exec tail -n 1 /dev/zero')).ended).toBe('out-of-memory');
    expect((await sandbox.exec('kill -KILL $$')).ended).toBe('signaled');
    expect((await sandbox.exec('exec tail -n 1 /dev/zero')).ended).toBe('out-of-memory');
  });
});

it('a foreign container of the name is left alone and named', async () => {
  const name = newName();
  const { Id } = await engine.createContainer(containerName(name, sandboxOwner()), { Image: image, Cmd: ['true'] }, undefined);
  try {
    await expect(openDocker({}, { name })).rejects.toMatchObject({
      code: 'place-failed',
      message: expect.stringContaining('none of Petasos'),
    });
    await expect(
      docker.destroy(plain, { backend: 'docker', id: Id, name }, { env: process.env, platform: process.platform }),
    ).rejects.toMatchObject({ code: 'sandbox-not-found' });
    expect((await engine.container(Id))?.State.Status).toBe('created');
  } finally {
    await engine.removeContainer(Id);
  }
});

it('a sandbox that is not persistent is gone after its idle limit, one that is has stopped, and both without a client', async () => {
  const ephemeral = await openDocker({ persistent: false }, { idleLimitMs: 1000 });
  const persistent = await openDocker({}, { idleLimitMs: 1000 });
  for (const sandbox of [ephemeral, persistent]) {
    await sandbox.exec('true');
    await sandbox.close();
  }
  await expect.poll(async () => await engine.container(ephemeral.id), { timeout: 20_000 }).toBeUndefined();
  await expect.poll(async () => (await engine.container(persistent.id))?.State.Status, { timeout: 20_000 }).toBe('exited');
});

it('a lifetime ends the sandbox whatever happens, and the placement says when', async () => {
  const sandbox = await openDocker({ persistent: false }, { lifetimeMs: 3000, idleLimitMs: 1000 });
  const left = (await sandbox.placement()).lifetimeLeftMs;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(3000);
  expect((await sandbox.exec('sleep 60')).ended).toBe('destroyed');
});

it('snapshots go with the sandbox that they are of, and those in use with the last sandbox made from them', async () => {
  const snapshots = async () => (await engine.images(['petasos.docker.snapshot-of'])).length;
  const before = await snapshots();
  const first = await openDocker();
  const from = await first.snapshot();
  const second = await open(docker, { gate: admitAll(), options: plain, from });
  expect(await snapshots()).toBe(before + 1);
  await first.destroy();
  expect((await second.exec('echo alive')).stdout).toBe('alive\n');
  await second.destroy();
  expect(await snapshots()).toBe(before);
});

describe('a directory of this machine', () => {
  const directory = path.join('/home', newName(), 'project');

  it('as workdir is refused by name, with the way to mount it, and leaves nothing', async () => {
    const before = (await engine.containers([])).length;
    await expect(openDocker({ workdir: directory })).rejects.toMatchObject({
      code: 'cwd-not-found',
      message: expect.stringContaining(directory),
      remedy: expect.stringContaining('volumes'),
    });
    expect((await engine.containers([])).length).toBe(before);
  });

  it('as the cwd of a command is refused before anything runs', async () => {
    const sandbox = await openDocker();
    await expect(sandbox.exec('touch ran', { cwd: directory })).rejects.toMatchObject({ code: 'cwd-not-found' });
    expect((await sandbox.files.list('.')).map(({ name }) => name)).not.toContain('ran');
  });

  it('is the workdir once it is mounted', async () => {
    const mounted = await mkdtemp(path.join(tmpdir(), 'project-'));
    try {
      const sandbox = await openDocker({ workdir: directory, volumes: [`${mounted}:${directory}`] });
      expect((await sandbox.exec('pwd; echo out >file')).stdout).toBe(`${directory}\n`);
      expect((await sandbox.placement()).mounts).toEqual([{ source: mounted, target: directory, access: 'read-write' }]);
    } finally {
      await rm(mounted, { recursive: true });
    }
  });

  it('is the current one, at /workspace, when the options say so', async () => {
    const sandbox = await openDocker({ mountCwdToWorkspace: true });
    expect((await sandbox.exec('pwd; ls')).stdout).toMatch(/^\/workspace\n(?:.*\n)*package\.json\n/);
    expect((await sandbox.placement()).mounts).toEqual([{ source: process.cwd(), target: '/workspace', access: 'read-write' }]);
  });
});
