import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Progress } from '@petasos/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseReference } from '../src/image/reference.js';
import docker from '../src/index.js';
import { engine, testbed } from './place.js';
import { type Registry, startRegistry } from './registry.js';
import { destroyOpened, openDocker } from './sandboxes.js';

const login = { username: 'somebody', password: 'pass:word' };
let registry: Registry;
let image: string;
let config: string;

beforeAll(async () => {
  registry = await startRegistry(testbed.tars.busybox, login);
  image = `${registry.address}/private/busybox:latest`;
});

afterAll(() => registry.close());

beforeEach(async () => {
  config = await mkdtemp(path.join(tmpdir(), 'docker-config-'));
});

afterEach(async () => {
  await destroyOpened();
  await engine.removeImage(image);
  await rm(config, { recursive: true });
});

const environment = (more: Record<string, string> = {}) => ({ PATH: process.env.PATH, HOME: config, DOCKER_CONFIG: config, ...more });
const writeConfig = (content: object) => writeFile(path.join(config, 'config.json'), JSON.stringify(content));
const options = () => ({ image, pull: 'missing' as const, host: testbed.host });
const prepare = (env = environment(), onProgress?: (event: Progress) => void) =>
  docker.prepare?.(options(), { host: { env, platform: process.platform }, onProgress });
const auth = Buffer.from(`${login.username}:${login.password}`).toString('base64');

describe('an image of a private registry', () => {
  it('is pulled with the login of docker’s configuration, and the progress tells layers and bytes', async () => {
    await writeConfig({ auths: { [registry.address]: { auth } } });
    const events: Progress[] = [];
    await prepare(environment(), (event) => events.push(event));
    expect(await engine.image(image)).toBeDefined();
    expect(events.at(-1)).toMatchObject({ step: `pull ${image}`, unit: 'bytes', detail: '1 of 1 layers' });
    expect(events.at(-1)?.done).toBe(events.at(-1)?.total);
  });

  it('is pulled by the first open, and not again', async () => {
    await writeConfig({ auths: { [registry.address]: { auth } } });
    const sandbox = await openDocker(options(), { hostEnv: environment() });
    expect((await sandbox.exec('echo alive')).stdout).toBe('alive\n');
    const events: Progress[] = [];
    await openDocker({ image }, { hostEnv: environment(), onProgress: (event) => events.push(event) });
    expect(events).toEqual([]);
  });

  it('is pulled with what a credential helper says, which is asked about this registry', async () => {
    const helper = path.join(config, 'docker-credential-test');
    const answer = JSON.stringify({ ServerURL: registry.address, Username: login.username, Secret: login.password });
    await writeFile(helper, `#!/bin/sh\n[ "$1" = get ] && [ "$(cat)" = "${registry.address}" ] && printf %s '${answer}'\n`);
    await chmod(helper, 0o755);
    const env = environment({ PATH: `${config}:${process.env.PATH}` });
    for (const wanted of [{ credHelpers: { [registry.address]: 'test' } }, { credsStore: 'test' }]) {
      await writeConfig(wanted);
      await prepare(env);
      expect(await engine.removeImage(image)).toBe(true);
    }
  });

  it('is pulled with DOCKER_AUTH_CONFIG', async () => {
    await prepare(environment({ DOCKER_AUTH_CONFIG: JSON.stringify({ auths: { [registry.address]: { auth } } }) }));
    expect(await engine.image(image)).toBeDefined();
  });

  it('that refuses the login is a typed error that says how to log in, and holds no password', async () => {
    const refused = Buffer.from('somebody:wrong-password').toString('base64');
    await writeConfig({ auths: { [registry.address]: { auth: refused } } });
    const error: unknown = await Promise.resolve(prepare()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'PetasosError',
      backend: 'docker',
      remedy: expect.stringContaining(`docker login ${registry.address}`),
    });
    const { message, stack, data } = error as Error & { data: unknown };
    expect(`${message} ${stack} ${JSON.stringify(data)}`).not.toMatch(/wrong-password|c29tZWJvZHk/);
  });

  it('is not pulled where pull is never', async () => {
    await expect(openDocker({ ...options(), pull: 'never' })).rejects.toMatchObject({ code: 'unavailable', data: { image } });
  });
});

it.each([
  ['debian', 'docker.io', 'debian', 'latest'],
  ['library/debian:12', 'docker.io', 'library/debian', '12'],
  ['ghcr.io/owner/name:v1', 'ghcr.io', 'ghcr.io/owner/name', 'v1'],
  ['localhost/name', 'localhost', 'localhost/name', 'latest'],
  ['127.0.0.1:5000/name', '127.0.0.1:5000', '127.0.0.1:5000/name', 'latest'],
  ['host:5000/a/b:tag@sha256:00', 'host:5000', 'host:5000/a/b', 'sha256:00'],
])('the reference %s names the registry %s', (reference, host, name, tag) => {
  expect(parseReference(reference)).toEqual({ registry: host, name, tag });
});
