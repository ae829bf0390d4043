import type { Progress } from '@petasos/core';
import { afterEach, expect, it, vi } from 'vitest';
import { emulated } from './emulated.js';

const service = emulated();

afterEach(async () => {
  await service.emulator.setKnobs({ createBurst: 1000, createPerMinute: 60_000, tellsRetryAfter: true, maxSandboxes: 1000 });
  await service.emulator.act('reset-limit');
});

async function limit(knobs: Readonly<Record<string, number | boolean>>): Promise<void> {
  await service.emulator.setKnobs(knobs);
  await service.emulator.act('reset-limit');
}

it('200 sandboxes are opened, used and destroyed under a rate limit: none is lost, none is made twice', async () => {
  await limit({ createBurst: 20, createPerMinute: 1200 });
  const used: string[] = [];
  const one = async (i: number) => {
    const sandbox = await service.open({ options: { persistent: false } });
    used.push((await sandbox.exec(`echo ${i}`)).stdout.trim());
    await sandbox.destroy();
  };
  const queue = Array.from({ length: 200 }, (_, i) => i);
  const worker = async () => {
    for (let i = queue.shift(); i !== undefined; i = queue.shift()) await one(i);
  };
  await Promise.all(Array.from({ length: 40 }, worker));
  expect(used.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i));
  expect(await service.emulator.state()).toMatchObject({ boxes: [], snapshots: [] });
  const creations = await service.emulator.requests('^SandboxCreateV2$');
  expect(creations.filter(({ status }) => status === 0)).toHaveLength(200);
  expect(creations.some(({ status }) => status === 8)).toBe(true);
}, 300_000);

it('a wait that the service asks for is honoured, shown and bounded; the SDK’s own is neither', async () => {
  await limit({ createBurst: 1, createPerMinute: 60 });
  await service.open({ options: { persistent: false } });
  const seen: Progress[] = [];
  const startedAt = Date.now();
  await service.open({ options: { persistent: false }, onProgress: (event) => seen.push(event) });
  expect(Date.now() - startedAt).toBeGreaterThan(700);
  expect(seen.some(({ detail }) => /rate limited; again in/.test(detail ?? ''))).toBe(true);
  await limit({ createBurst: 1, createPerMinute: 0.5 });
  await service.open({ options: { persistent: false } });
  const refused = Date.now();
  await expect(service.open()).rejects.toMatchObject({ code: 'rate-limited', retryable: true });
  expect(Date.now() - refused).toBeLessThan(5000);
});

it('a refusal that does not say when to come back is tried again, which the SDK does not', async () => {
  await limit({ createBurst: 1, createPerMinute: 120, tellsRetryAfter: false });
  await service.open({ options: { persistent: false } });
  expect((await (await service.open({ options: { persistent: false } })).exec('echo alive')).stdout).toBe('alive\n');
});

it('the SDK writes nothing to the console', async () => {
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) => vi.spyOn(console, level));
  const write = vi.spyOn(process.stderr, 'write');
  try {
    await (await service.open()).exec(':');
    expect([...spies, write].flatMap((spy) => spy.mock.calls)).toEqual([]);
  } finally {
    vi.restoreAllMocks();
  }
});
