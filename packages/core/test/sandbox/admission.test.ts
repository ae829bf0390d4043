import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import local from '../../../backend-local/src/index.js';
import type { Gate, GateOutcome } from '../../src/contract/gate.js';
import { defineBackend, PetasosError } from '../../src/contract/index.js';
import { open } from '../../src/sandbox/index.js';

describe('what the gate has let through has one outcome', () => {
  let directory: string;
  let outcomes: GateOutcome[];
  let asked: number;
  let answer: () => void;
  let answered: Promise<void>;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'admission-test-'));
    outcomes = [];
    asked = 0;
    answered = Promise.resolve();
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  const gate: Gate = {
    async admit() {
      asked += 1;
      await answered;
      return { ended: (outcome) => void outcomes.push(outcome) };
    },
  };

  const late = () => {
    answered = new Promise((resolve) => {
      answer = resolve;
    });
  };

  it('also when it comes after an abort, which is not kept waiting for it', async () => {
    await using sandbox = await open(local, { gate, options: { workdir: directory } });
    late();
    const abort = new AbortController();
    const works = [
      sandbox.exec('touch ran', { signal: abort.signal }).then(({ ended }) => ended),
      sandbox
        .shell()
        .exec('touch ran', { signal: abort.signal })
        .then(({ ended }) => ended),
      sandbox.spawn('touch ran', { signal: abort.signal }).catch((error: unknown) => (error instanceof PetasosError ? error.code : error)),
    ];
    await expect.poll(() => asked).toBe(3);
    abort.abort();
    expect(await Promise.all(works)).toEqual(['aborted', 'aborted', 'aborted']);
    expect(outcomes).toEqual([]);
    answer();
    await expect.poll(() => outcomes.map(({ ended }) => ended)).toEqual(['aborted', 'aborted', 'aborted']);
    expect((await sandbox.exec('ls')).stdout).toBe('');
  });

  it('also when the place cannot do it', async () => {
    let broken = false;
    const failing = () => Promise.reject(new PetasosError('disconnected', 'out of reach'));
    const breaking = defineBackend({
      ...local,
      async create(options, spec) {
        const driver = await local.create(options, spec);
        const { spawn } = driver;
        return Object.assign(driver, {
          spawn: (request: Parameters<typeof spawn>[0]) => (broken ? failing() : spawn.call(driver, request)),
          terminal: failing,
        });
      },
    });
    await using sandbox = await open(breaking, { gate, options: { workdir: directory } });
    await using other = await open(breaking, { gate, options: { workdir: directory } });
    await expect(sandbox.terminal({ command: 'true' })).rejects.toMatchObject({ code: 'disconnected' });
    broken = true;
    await expect(other.jobs.start('true', { cwd: directory })).rejects.toMatchObject({ code: 'disconnected' });
    broken = false;
    expect(outcomes.map(({ ended }) => ended)).toEqual(['failed', 'disconnected']);
  });
});
