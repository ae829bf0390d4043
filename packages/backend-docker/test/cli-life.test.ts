import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { importImage, need, type PetasosUser, petasosUser, startDockerEngine, type Engine as TestEngine } from '@petasos/testbed';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { label } from '../src/container/labels.js';
import { Engine } from '../src/engine/engine.js';

const { tars } = await need('docker');
const plugin = fileURLToPath(new URL('..', import.meta.url));
const image = 'cli/busybox:latest';

/** An engine of its own: what is pruned here is nobody else's, and whatever is left shows. */
let directory: string;
let own: TestEngine;
let engine: Engine;
let me: PetasosUser;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'engine-'));
  own = await startDockerEngine({ directory, bridge: false });
  await importImage(own.socket, tars.busybox, image);
  const host = `unix://${own.socket}`;
  engine = await Engine.of({ host }, { env: {}, platform: process.platform });
  me = await petasosUser({ DOCKER_HOST: host });
  await me.configure({
    sandbox: 'docker',
    plugins: [plugin],
    approvals: { mode: 'off' },
    terminal: { docker_image: image, docker_network: false },
  });
});

afterAll(async () => {
  await me.remove();
  await own.stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(async () => {
  expect(await me.run(['run', '--', 'echo kept >file'])).toMatchObject({ status: 0, stderr: '' });
});

afterEach(async () => {
  for (const { Id } of await engine.containers([])) await engine.removeContainer(Id);
  for (const { Id } of await engine.images([label.snapshotOf])) await engine.removeImage(Id);
});

const json = async (...args: string[]) => JSON.parse((await me.run([...args, '--json'])).stdout);
const ids = async () => (await engine.containers([])).map(({ Id }) => Id);
const snapshots = async () => (await engine.images([label.snapshotOf])).flatMap(({ RepoTags }) => RepoTags ?? []);

/** As one ends that nobody has used for its idle limit. */
const stopContainer = (id: string) =>
  engine.connection.send({ method: 'POST', path: `/containers/${id}/stop?t=0`, what: 'stop the container' });

async function theOnly(): Promise<string> {
  const [id, ...others] = await ids();
  if (id === undefined || others.length > 0) throw new Error(`one container was expected, not ${1 + others.length}`);
  return id;
}

describe('stop and resume', () => {
  it('stop freezes files and jobs, ls says so, and resume goes on from there', async () => {
    const id = await theOnly();
    const job = (await me.run(['run', '--detach', '--', 'until [ -e go ]; do sleep 0.1; done; cat file; exit 7'])).stdout.trim();
    expect(await me.run(['stop', 'default'])).toEqual({
      status: 0,
      stdout: '',
      stderr: 'Stopped default (docker): its files stay, and its processes wait.\n',
    });
    expect((await engine.container(id))?.State.Status).toBe('paused');
    const listed = await me.run(['ls']);
    expect(listed.stdout).toMatch(new RegExp(`^NAME +BACKEND +STATE +AGE +ID\ndefault +docker +paused +\\d+s +${id.slice(0, 12)}\n$`));
    expect(await json('ls')).toMatchObject({ sandboxes: [{ name: 'default', backend: 'docker', id, state: 'paused' }] });

    // What rests is left alone.
    expect((await me.run(['stop', 'default'])).stderr).toBe('Stopped default (docker): it rested already.\n');
    expect(await json('stop', id.slice(0, 12))).toEqual({ stopped: [{ name: 'default', backend: 'docker', id }] });

    expect(await me.run(['resume', 'default'])).toEqual({ status: 0, stdout: '', stderr: 'Resumed default (docker).\n' });
    expect((await json('ls')).sandboxes).toMatchObject([{ state: 'running' }]);
    expect(await json('jobs', 'ls')).toMatchObject({ jobs: [{ id: job, state: 'running' }] });
    await me.run(['run', '--', 'touch go']);
    expect(await me.run(['jobs', 'wait', job])).toMatchObject({ status: 7 });
    expect((await me.run(['jobs', 'logs', job])).stdout).toBe('kept\n');
    // Nothing is to be done for one that is awake.
    expect(await json('resume', 'default')).toEqual({ resumed: [{ name: 'default', backend: 'docker', id }] });
  });

  it('a command wakes one that was stopped', async () => {
    await me.run(['stop', 'default']);
    expect(await me.run(['run', '--', 'cat file'])).toEqual({ status: 0, stdout: 'kept\n', stderr: '' });
  });

  it('one that ended for want of use stays ended when it is stopped, and resume starts it with its files', async () => {
    const id = await theOnly();
    await stopContainer(id);
    expect((await me.run(['stop', 'default'])).stderr).toBe('Stopped default (docker): it rested already.\n');
    expect((await engine.container(id))?.State.Status).toBe('exited');
    expect((await me.run(['resume', 'default'])).stderr).toBe('Resumed default (docker).\n');
    expect((await engine.container(id))?.State.Status).toBe('running');
    expect((await me.run(['run', '--', 'cat file'])).stdout).toBe('kept\n');
  });
});

describe('snapshot and restore', () => {
  it('snapshot prints what restore starts from: the files of that moment, in a sandbox of its own', async () => {
    const taken = await me.run(['snapshot', 'default']);
    expect(taken).toEqual({ status: 0, stdout: expect.stringMatching(/^petasos-snapshot:[0-9a-f]{16}\n$/), stderr: '' });
    const snapshot = taken.stdout.trim();
    await me.run(['run', '--', 'echo later >file']);
    expect(await me.run(['restore', snapshot, 'again'])).toEqual({ status: 0, stdout: '', stderr: 'Restored into again (docker).\n' });
    expect((await me.run(['run', '--name', 'again', '--', 'cat file'])).stdout).toBe('kept\n');
    expect((await me.run(['run', '--', 'cat file'])).stdout).toBe('later\n');

    const more = await json('snapshot', 'default');
    expect(more).toEqual({
      id: expect.stringMatching(/^petasos-snapshot:/),
      sandbox: { name: 'default', backend: 'docker', id: expect.any(String) },
    });
    const third = await json('restore', more.id, 'third');
    expect(third).toEqual({ name: 'third', backend: 'docker', id: expect.any(String), from: more.id });
    expect(await ids()).toContain(third.id);

    // A name that is taken is left as it is, asleep.
    const [again] = (await json('ls')).sandboxes.filter(({ name }: { name: string }) => name === 'again');
    await stopContainer(again.id);
    expect(await me.run(['restore', snapshot, 'again'])).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'petasos: docker: there is a sandbox "again" already; nothing was restored. Give a name that is free, or destroy it with petasos rm.\n',
    });
    expect((await json('ls')).sandboxes).toContainEqual(expect.objectContaining({ name: 'again', state: 'stopped' }));

    expect(await me.run(['rm', 'default', 'again', 'third'])).toEqual({
      status: 0,
      stdout: '',
      stderr: 'Destroyed default (docker).\nDestroyed again (docker).\nDestroyed third (docker).\n',
    });
    expect(await ids()).toEqual([]);
    expect(await snapshots()).toEqual([]);
  });

  it('a snapshot that does not exist is told in one line, and makes nothing', async () => {
    const before = await ids();
    const { status, stdout, stderr } = await me.run(['restore', 'petasos-snapshot:none', 'again']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe(
      'petasos: docker has no snapshot petasos-snapshot:none. Use an id that a snapshot gave; the snapshots of a sandbox are removed with it.\n',
    );
    // An image that is no snapshot of ours is none, either.
    expect((await me.run(['restore', image, 'again'])).status).toBe(1);
    const told = await json('restore', 'petasos-snapshot:none', 'again');
    expect(told).toMatchObject({ error: { code: 'sandbox-not-found', backend: 'docker' }, exitStatus: 1 });
    expect(await ids()).toEqual(before);
  });
});

describe('what others made on the same engine', () => {
  it('is listed with its owner, and neither a name nor prune touches it', async () => {
    const id = await theOnly();
    const details = await engine.container(id);
    await engine.removeContainer(id);
    const labels = { ...details?.Config.Labels, [label.owner]: 'ann@elsewhere' };
    const { Id } = await engine.createContainer(
      'theirs',
      { ...details?.Config, Labels: labels, HostConfig: details?.HostConfig },
      undefined,
    );
    expect((await me.run(['ls'])).stdout).toMatch(/^NAME .* OWNER +ID\ndefault +docker +stopped +\d+s +ann@elsewhere +[0-9a-f]{12}\n$/);
    for (const command of ['stop', 'rm', 'snapshot']) {
      expect(await me.run([command, 'default'])).toMatchObject({
        status: 1,
        stderr: `petasos: docker: the sandbox "default" is of ann@elsewhere, not yours. If it is meant all the same, give its id: ${Id.slice(0, 12)}.\n`,
      });
    }
    expect(await me.run(['snapshot', Id])).toMatchObject({
      status: 1,
      stderr:
        'petasos: docker: the sandbox "default" cannot be opened from here. It is gone, or another user made it: petasos ls --json shows its state and its owner.\n',
    });
    expect((await me.run(['prune', '--yes'])).stderr).toBe(
      'Destroyed 0.\nnote: 1 of other users or machines left alone; --all takes them, too\n',
    );
    expect(await ids()).toEqual([Id]);
    // A name is each owner's own.
    await me.run(['run', '--', 'true']);
    expect((await me.run(['rm', 'default'])).stderr).toBe('Destroyed default (docker).\n');
    expect(await ids()).toEqual([Id]);
    expect((await me.run(['prune', '--all', '--yes'])).stderr).toBe('Destroyed 1.\n');
    expect(await ids()).toEqual([]);
  });
});

it('prune shows what has stopped, and destroys it with --yes; rm needs no more than the name', async () => {
  const id = await theOnly();
  await stopContainer(id);
  await me.run(['run', '--name', 'busy', '--', 'true']);
  const dry = await me.run(['prune']);
  expect(dry.stdout).toMatch(/^NAME +BACKEND +STATE +AGE\ndefault +docker +stopped +\d+s\n$/);
  expect(dry.stderr).toBe('1 would be destroyed; do it with --yes.\n');
  expect(await ids()).toHaveLength(2);
  expect(await json('prune', '--yes')).toMatchObject({ dry: false, destroyed: [{ name: 'default', id }], problems: [] });
  expect((await json('ls')).sandboxes).toMatchObject([{ name: 'busy', state: 'running' }]);
  expect(await json('rm', 'busy')).toMatchObject({ destroyed: [{ name: 'busy', backend: 'docker' }] });
  expect(await ids()).toEqual([]);
});
