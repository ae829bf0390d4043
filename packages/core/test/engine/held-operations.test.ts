import { afterAll, beforeAll, expect, it } from 'vitest';
import local from '../../../backend-local/src/index.js';
import { type Backend, type Driver, defineBackend } from '../../src/contract/index.js';
import { admitAll } from '../../src/index.js';
import { open } from '../../src/sandbox/index.js';
import type { Sandbox } from '../../src/sandbox/types.js';
import { weakBackend } from '../../src/testing/index.js';

/** Every process that the engine has asked the place for: where each is a request over a slow line, they are the price of a command. */
let processes = 0;
let sandbox: Sandbox;

function counting(driver: Driver): Driver {
  return {
    ...driver,
    spawn(request) {
      processes += 1;
      return driver.spawn(request);
    },
  };
}

const weak: Backend<unknown> = weakBackend(local as Backend<unknown>);
const counted = defineBackend<unknown>({ ...weak, create: async (options, spec) => counting(await weak.create(options, spec)) });

beforeAll(async () => {
  sandbox = await open(counted, { options: { workdir: '/tmp' }, gate: admitAll() });
  await sandbox.exec('true');
});

afterAll(() => sandbox.destroy());

async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = processes;
  await work();
  return processes - before;
}

it('a short command is one operation of the place, its input and its output included', async () => {
  const run = async () => expect((await sandbox.exec('cat; exit 3', { stdin: 'input' })).stdout).toBe('input');
  const costs: number[] = [];
  for (let i = 0; i < 5; i += 1) costs.push(await cost(run));
  // One more where this machine was slow to let the command end, or to let the one before be forgotten.
  expect(Math.min(...costs)).toBe(1);
});

it('a silent command is looked at less and less', async () => {
  expect(await cost(() => sandbox.exec('sleep 5'))).toBeLessThanOrEqual(4);
});

it('one input of half a megabyte is two operations', async () => {
  const input = Buffer.alloc(500_000, 'x');
  const costs: number[] = [];
  for (let i = 0; i < 3; i += 1) costs.push(await cost(() => sandbox.exec('wc -c', { stdin: input })));
  expect(Math.min(...costs)).toBe(2);
});

it('first bytes arrive while the command goes on', async () => {
  const waits: number[] = [];
  const process = await sandbox.spawn('sleep 1; date +%s%N; sleep 1');
  process.stderr.resume();
  for await (const chunk of process.stdout) waits.push(Date.now() - Number(String(chunk)) / 1e6);
  expect((await process.exited).exitCode).toBe(0);
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeLessThan(900);
});
