import type { Sandbox } from '@petasos/core';
import type { Fault } from '@petasos/emulators';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { counted, type Emulator, openSandbox, runs, startEmulator } from './place.js';

const execute = 'POST /toolbox/.*/process/execute';

let emulator: Emulator;
let sandbox: Sandbox;

beforeAll(async () => {
  emulator = await startEmulator();
  sandbox = await openSandbox(emulator);
  await sandbox.exec('true');
});

afterEach(() => emulator.clearFaults());

afterAll(async () => {
  await sandbox.destroy();
  await emulator.close();
});

const faults: Readonly<Record<string, Fault>> = {
  'a 502 instead of executing': { kind: 'status', status: 502 },
  'a 502 after executing': { kind: 'status', status: 502, when: 'after' },
  'a 504 after executing': { kind: 'status', status: 504, when: 'after' },
  'a connection that is cut before executing': { kind: 'reset' },
  'a connection that is cut after executing': { kind: 'reset', when: 'after' },
  'a 429 with Retry-After': { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
  'a 429 without Retry-After': { kind: 'status', status: 429 },
};

/** Requests of one command: its start is the first, looks at its output and its removal follow. */
const moments = { 'at its start': 0, 'at the first look at its output': 1 };

for (const [name, fault] of Object.entries(faults)) {
  for (const [moment, skip] of Object.entries(moments)) {
    it(`${name} ${moment}: the command runs once and its result is whole`, async () => {
      const file = `/tmp/runs-${name.length}-${skip}-${name.replace(/\W/g, '')}`;
      await emulator.clearRequests();
      await emulator.fault({ on: execute, skip, fault });
      const result = await sandbox.exec(counted(file));
      expect([result.ended, result.exitCode, result.stdout, result.stderr]).toEqual(['exited', 3, 'output\n', 'error\n']);
      expect(await runs(sandbox, file)).toBe(1);
      expect((await emulator.requests(execute)).filter((request) => request.fault !== undefined)).toHaveLength(1);
    });
  }
}

it('a job whose start is answered by a 502 is started once', async () => {
  await emulator.fault({ on: execute, fault: { kind: 'status', status: 502, when: 'after' }, times: 2 });
  const job = await sandbox.jobs.start(counted('/tmp/job-runs'));
  expect((await sandbox.jobs.wait(job.id)).exitCode).toBe(3);
  expect(await runs(sandbox, '/tmp/job-runs')).toBe(1);
  expect(await sandbox.jobs.list()).toHaveLength(1);
});

it('a Retry-After is waited for', async () => {
  await emulator.fault({ on: execute, fault: { kind: 'status', status: 429, headers: { 'retry-after': '1' } } });
  const started = performance.now();
  await sandbox.exec('true');
  expect(performance.now() - started).toBeGreaterThan(1000);
});

it('a file arrives whole although its upload was answered by a 502', async () => {
  const content = Buffer.alloc(500_000, 'x');
  await emulator.fault({ on: 'bulk-upload', fault: { kind: 'status', status: 502, when: 'after' } });
  await sandbox.files.write('/tmp/uploaded', content);
  expect(Buffer.compare(await sandbox.files.read('/tmp/uploaded'), content)).toBe(0);
});

it.each(['reset', 'end'] as const)('a download that stops half way (%s) is an error, never a shorter file', async (how) => {
  await sandbox.exec('head -c 2000000 /dev/zero >/tmp/large');
  await emulator.fault({ on: 'bulk-download', fault: { kind: 'cut-stream', afterBytes: 1_000_000, how } });
  await expect(sandbox.files.read('/tmp/large')).rejects.toMatchObject({ code: 'disconnected' });
  expect((await sandbox.files.read('/tmp/large')).length).toBe(2_000_000);
});

it('no credential is in a path, in what is run, or in a label', async () => {
  const key = String(emulator.env['DAYTONA_API_KEY']);
  const seen = JSON.stringify([await emulator.requests(), await emulator.state()]);
  expect(seen).not.toContain(key);
});
