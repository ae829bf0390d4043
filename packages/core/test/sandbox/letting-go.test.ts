import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import local from '../../../backend-local/src/index.js';
import { admitAll } from '../../src/index.js';
import { open } from '../../src/sandbox/index.js';
import { signalAll } from '../zoo/powerful-local.js';

it.each(['close', 'destroy'] as const)(
  '%s waits for no place that does not answer, also when sessions have files there',
  async (end) => {
    const directory = await mkdtemp(path.join(tmpdir(), 'letting-go-test-'));
    const sandbox = await open(local, { options: { workdir: directory }, gate: admitAll() });
    await sandbox.shell().exec(':');
    signalAll(sandbox.id, 'STOP');
    const patience = new Promise((resolve) => setTimeout(resolve, 8_000, 'still waiting').unref());
    expect(await Promise.race([sandbox[end](), patience])).toBeUndefined();
    signalAll(sandbox.id, 'CONT');
    await sandbox.destroy();
    await rm(directory, { recursive: true, force: true });
  },
  20_000,
);
