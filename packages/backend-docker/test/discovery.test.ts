import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endpointName, findEndpoint } from '../src/engine/endpoint.js';
import docker from '../src/index.js';
import { testbed } from './place.js';
import { image, plain } from './sandboxes.js';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'home-'));
});

afterEach(() => rm(home, { recursive: true }));

const host = (env: Record<string, string>) => ({ env: { HOME: home, XDG_RUNTIME_DIR: home, ...env }, platform: process.platform });
const found = async (env: Record<string, string>, wanted = {}) => {
  const endpoint = await findEndpoint(wanted, host(env));
  return [endpointName(endpoint), endpoint.source];
};

async function context(name: string, address: string): Promise<void> {
  const directory = path.join(home, '.docker/contexts/meta', createHash('sha256').update(name).digest('hex'));
  await mkdir(directory, { recursive: true });
  await writeFile(path.join(directory, 'meta.json'), JSON.stringify({ Name: name, Endpoints: { docker: { Host: address } } }));
}

async function socketAt(...parts: string[]): Promise<() => Promise<void>> {
  const file = path.join(home, ...parts);
  await mkdir(path.dirname(file), { recursive: true });
  const server = createServer().listen(file);
  await new Promise((resolve) => server.once('listening', resolve));
  return () => new Promise((resolve) => server.close(() => resolve()));
}

describe('the engine that docker itself would use', () => {
  it('is the one of DOCKER_HOST, before any context', async () => {
    await context('other', 'unix:///other.sock');
    expect(await found({ DOCKER_HOST: 'unix:///given.sock', DOCKER_CONTEXT: 'other' })).toEqual(['unix:///given.sock', 'DOCKER_HOST']);
    expect(await found({ DOCKER_HOST: 'tcp://127.0.0.1' })).toEqual(['tcp://127.0.0.1:2375', 'DOCKER_HOST']);
  });

  it('is the one of DOCKER_CONTEXT, or of the context that docker uses', async () => {
    await context('one', 'unix:///one.sock');
    await context('two', 'tcp://10.0.0.2:2376');
    await writeFile(path.join(home, '.docker/config.json'), JSON.stringify({ currentContext: 'two' }));
    expect(await found({ DOCKER_CONTEXT: 'one' })).toEqual(['unix:///one.sock', 'the context one']);
    expect(await found({})).toEqual(['tcp://10.0.0.2:2376 (TLS)', 'the context two']);
    expect(await found({}, { context: 'one' })).toEqual(['unix:///one.sock', 'the context one']);
  });

  it('is spoken to with the certificates of DOCKER_CERT_PATH', async () => {
    for (const name of ['ca', 'cert', 'key']) await writeFile(path.join(home, `${name}.pem`), name);
    const endpoint = await findEndpoint({}, host({ DOCKER_HOST: 'tcp://10.0.0.1:2376', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: home }));
    expect(endpoint).toMatchObject({ kind: 'tcp', host: '10.0.0.1', port: 2376 });
    expect(endpoint.kind === 'tcp' && endpoint.tls).toEqual({
      ca: Buffer.from('ca'),
      cert: Buffer.from('cert'),
      key: Buffer.from('key'),
      verify: true,
    });
  });

  it.each([
    ['rootless Docker', ['docker.sock']],
    ['Docker Desktop', ['.docker', 'desktop', 'docker.sock']],
    ['Podman', ['podman', 'podman.sock']],
  ])('is the socket of %s where nothing else is there', async (_name, parts) => {
    const close = await socketAt(...parts);
    expect(await found({})).toEqual([`unix://${path.join(home, ...parts)}`, 'the default']);
    await close();
  });
});

describe('an engine that cannot be used', () => {
  const refusal = (env: Record<string, string>, wanted = {}) => findEndpoint(wanted, host(env)).catch((error: unknown) => error);

  it('behind SSH is refused, with the way to reach it', async () => {
    expect(await refusal({ DOCKER_HOST: 'ssh://me@example.com' })).toMatchObject({
      code: 'unavailable',
      remedy: expect.stringContaining('ssh -nNT -L'),
    });
  });

  it('with an address or a context that is none is refused by name', async () => {
    expect(await refusal({ DOCKER_HOST: 'no address' })).toMatchObject({
      code: 'invalid-options',
      message: expect.stringContaining('no address'),
    });
    expect(await refusal({ DOCKER_CONTEXT: 'nowhere' })).toMatchObject({
      code: 'invalid-options',
      message: expect.stringContaining('nowhere'),
    });
  });
});

describe('doctor', () => {
  const check = (options: object, env: Record<string, string> = {}) => docker.check(options, host(env));

  it('says which engine was found, its version, and that the image is there', async () => {
    const findings = await check({ image }, { DOCKER_HOST: testbed.host });
    expect(findings.map(({ id, status }) => [id, status])).toEqual([
      ['docker.engine', 'ok'],
      ['docker.image', 'ok'],
    ]);
    expect(findings[0]?.message).toMatch(/^engine \d+\.\d+\.\d+.* at unix:\/\/.*DOCKER_HOST.*, storage overlay2/);
  });

  it('says what to do when nobody listens, and when an image is missing', async () => {
    expect(await check({}, { DOCKER_HOST: `unix://${home}/none.sock` })).toEqual([
      {
        id: 'docker.engine',
        status: 'failed',
        message: expect.stringContaining('there is no such socket'),
        remedy: expect.stringContaining('systemctl start docker'),
      },
    ]);
    const missing = { ...plain, image: 'petasos-testbed/none:latest' };
    expect((await check(missing)).at(-1)).toMatchObject({ id: 'docker.image', status: 'failed' });
    expect((await check({ ...missing, pull: 'missing' })).at(-1)).toMatchObject({
      id: 'docker.image',
      status: 'warning',
      remedy: expect.stringContaining('docker pull petasos-testbed/none:latest'),
    });
  });
});
