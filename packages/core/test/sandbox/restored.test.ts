import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import local from '../../../backend-local/src/index.js';
import { admitAll, defineBackend, open } from '../../src/index.js';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'restored-test-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

it('a sandbox that had to go on from its own snapshot says so, and is not made ready a second time', async () => {
  const backend = defineBackend({
    ...local,
    attach: async (options, ref, context) => ({ ...(await local.attach(options, ref, context)), restored: true }),
  });
  const options = { name: 'one', options: { workdir: directory, stateDirectory: directory }, gate: admitAll() };
  const init = { commands: ['echo ready >>log'] };
  await using first = await open(backend, { ...options, init });
  await using second = await open(backend, { ...options, init });
  expect([first.origin, second.origin]).toEqual(['created', 'restored']);
  expect(await second.files.readText('log')).toBe('ready\n');
  await second.destroy();
});
