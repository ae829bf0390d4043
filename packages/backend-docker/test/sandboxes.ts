import { randomBytes } from 'node:crypto';
import { admitAll, type OpenOptions, open, type Sandbox } from '@petasos/core';
import { afterEach } from 'vitest';
import type { ContainerDetails } from '../src/engine/shapes.js';
import docker from '../src/index.js';
import { engine, testbed } from './place.js';

const opened: Sandbox[] = [];

export async function destroyOpened(): Promise<void> {
  for (const sandbox of opened.splice(0)) {
    await sandbox.close();
    // Its own line to the engine may be spoilt.
    await docker.destroy(plain, sandbox.ref, { env: process.env, platform: process.platform });
  }
}

afterEach(destroyOpened);

export const image = testbed.images.debian;

/** Options as a user would give them, on the engine of the testbed. */
export const plain = { host: testbed.host, image, pull: 'never' } as const;

export const newName = () => `test-${randomBytes(5).toString('hex')}`;

/** Opens a sandbox that is destroyed after the test. */
export async function openDocker(options: object = {}, more: Omit<OpenOptions, 'options'> = {}): Promise<Sandbox> {
  const sandbox = await open(docker, { gate: admitAll(), ...more, options: { ...plain, ...options } });
  opened.push(sandbox);
  return sandbox;
}

export async function inspect(sandbox: Sandbox): Promise<ContainerDetails> {
  const found = await engine.container(sandbox.id);
  if (found === undefined) throw new Error(`no container ${sandbox.id}`);
  return found;
}

/** The whole answer of the engine, as text. */
export async function inspectText(sandbox: Sandbox): Promise<string> {
  return JSON.stringify(await inspect(sandbox));
}
