import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import local from '../../../backend-local/src/index.js';
import { defineSubject, runLive } from '../../src/conformance/index.js';
import { defineBackend } from '../../src/contract/index.js';

let state: string;

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'petasos-live-'));
});

afterEach(() => rm(state, { recursive: true, force: true }));

it('without credentials nothing is run, and it says so', async () => {
  const backend = defineBackend({ ...local, create: () => Promise.reject(new Error('must not be called')) });
  const subject = defineSubject({ backend, hostEnv: { CLOUD_ID: 'set' } });
  const outcome = await runLive({ subject, credentials: ['CLOUD_ID', 'CLOUD_TOKEN'], budget: { sandboxes: 9, seconds: 9 } });
  expect(outcome).toEqual({ ran: false, message: 'local: not run live (CLOUD_TOKEN not set)' });
});

it('no more sandboxes are made than the budget allows, none is left, and the report is written', async () => {
  let created = 0;
  const backend = defineBackend({
    ...local,
    create(options, spec) {
      created += 1;
      return local.create(options, spec);
    },
  });
  const subject = defineSubject({
    backend,
    options: { stateDirectory: join(state, 'sandboxes') },
    hostEnv: { ...process.env, TOKEN: 'x' },
  });
  const reportDirectory = join(state, 'report');
  const outcome = await runLive({ subject, credentials: ['TOKEN'], budget: { sandboxes: 0, seconds: 60 }, reportDirectory });
  expect(outcome.ran && [outcome.report.passed, outcome.leftBehind, created]).toEqual([0, [], 0]);
  expect(outcome.message).toMatch(/^local: run live, conformance 0\/\d+, .*, 0 sandboxes$/);
  expect((await readdir(reportDirectory)).sort()).toEqual(['local.json', 'local.md', 'local.svg']);
});
