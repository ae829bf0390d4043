import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import local from '../../../backend-local/src/index.js';
import { type Backend, defineBackend } from '../../src/contract/index.js';
import { admitAll } from '../../src/index.js';
import { open } from '../../src/sandbox/index.js';
import { weakBackend } from '../../src/testing/index.js';

/** Places without a live stdin start a command when its input is complete. */
const weak = defineBackend<unknown>(weakBackend(local as Backend<unknown>));

describe('a command that waits for its input in a place without a live stdin', () => {
  let directory: string;
  let mark: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'never-begun-test-'));
    mark = path.join(directory, 'mark');
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  it.each([
    { how: 'is aborted', ended: 'aborted' },
    { how: 'times out', ended: 'timed-out' },
    { how: 'is killed', ended: 'signaled' },
  ])('and $how before that never begins', async ({ ended }) => {
    await using sandbox = await open(weak, { options: { workdir: directory }, gate: admitAll() });
    const abort = new AbortController();
    const limits = ended === 'timed-out' ? { timeoutMs: 200 } : { signal: abort.signal };
    const process = await sandbox.spawn(`touch ${mark}`, { stdin: 'pipe', graceMs: 100, ...limits });
    process.stdin?.write('the beginning');
    if (ended === 'aborted') abort.abort();
    if (ended === 'signaled') await process.kill('SIGKILL');
    expect(await process.exited).toMatchObject({ ended, exitCode: null });
    process.stdin?.on('error', () => {});
    process.stdin?.end();
    // What began all the same would be done by then.
    await sandbox.exec('sleep 0.5');
    expect(existsSync(mark)).toBe(false);
  });
});
