import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import local from '../../../backend-local/src/index.js';
import { admitAll, capabilitiesOf, defineBackend, open } from '../../src/index.js';

describe('a place that takes long to wake', () => {
  let directory: string;
  let wake: () => void;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'waking-test-'));
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  const sleepy = defineBackend({
    ...local,
    capabilities: (options) => ({ ...capabilitiesOf(local, options), pause: 'memory' }),
    async create(options, spec) {
      const driver = await local.create(options, spec);
      const asleep = new Promise<void>((resolve) => {
        wake = resolve;
      });
      return Object.assign(driver, { pause: async () => {}, resume: () => asleep });
    },
  });

  const opened = () => open(sleepy, { name: 'one', options: { workdir: directory, stateDirectory: directory }, gate: admitAll() });

  it('keeps no command waiting that is aborted meanwhile, and never runs it', async () => {
    await using sandbox = await opened();
    await sandbox.pause();
    const abort = new AbortController();
    const work = sandbox.exec('echo ran >>log', { signal: abort.signal });
    abort.abort();
    expect(await work).toMatchObject({ ended: 'aborted', exitCode: null });
    wake();
    expect((await sandbox.exec('echo awake >>log; cat log')).stdout).toBe('awake\n');
  });

  it('is no part of the timeout of the command that wakes it', async () => {
    await using sandbox = await opened();
    await sandbox.pause();
    const work = sandbox.exec('echo awake', { timeoutMs: 1000 });
    const early = new Promise((resolve) => setTimeout(resolve, 1200, 'still asleep'));
    expect(await Promise.race([work, early])).toBe('still asleep');
    wake();
    expect(await work).toMatchObject({ ended: 'exited', stdout: 'awake\n' });
  });
});
