import type { Progress } from '@petasos/core';
import { expect, it } from 'vitest';
import { commandRequest, emulatedAccount } from './emulated.js';

const account = emulatedAccount();
const creation = '^POST /v3/sandboxes$';
const limited = (headers?: Record<string, string>) =>
  ({ kind: 'own', name: 'answer', data: { status: 429, code: 'rate_limited', headers } }) as const;

it.each([
  ['that says when to come again', { 'retry-after': '1' }, 1000],
  ['that does not', undefined, 100],
])('a 429 %s is waited out, and told', async (_, headers, leastMs) => {
  const { emulator, open, sent } = account();
  await emulator.fault({ on: creation, fault: limited(headers) });
  const told: Progress[] = [];
  const started = performance.now();
  const sandbox = await open({ onProgress: (event) => told.push(event) });
  expect(performance.now() - started).toBeGreaterThan(leastMs);
  expect(told.map(({ detail }) => detail).join()).toContain('rate limited');
  expect(await sent(creation)).toHaveLength(2);
  await emulator.fault({ on: commandRequest, fault: limited(headers), times: 2 });
  expect((await sandbox.exec('echo ran | tee -a /tmp/limited')).stdout).toBe('ran\n');
  expect(await sandbox.files.readText('/tmp/limited')).toBe('ran\n');
  await sandbox.destroy();
});

it('a 429 that asks for an hour is an error at once, which says that it may be tried again', async () => {
  const { emulator, open, sent } = account();
  await emulator.fault({ on: creation, fault: limited({ 'retry-after': '3600' }), times: 100 });
  await expect(open()).rejects.toMatchObject({ code: 'rate-limited', retryable: true, backend: 'vercel' });
  expect(await sent(creation)).toHaveLength(1);
  expect((await emulator.state()).boxes).toEqual([]);
});

it('200 sandboxes against a rate limit: none is lost, none is made twice, none is left', { timeout: 300_000 }, async () => {
  const { emulator, open, sent } = account();
  await emulator.setKnobs({ creations: { perMinute: 600, burst: 8 } });
  const said: string[] = [];
  const once = async (name: string) => {
    const sandbox = await open({ name });
    expect(sandbox.origin).toBe('created');
    said.push((await sandbox.exec('echo "$NAME" | tee -a /tmp/ran', { env: { NAME: name } })).stdout.trim());
    expect(await sandbox.files.readText('/tmp/ran')).toBe(`${name}\n`);
    await sandbox.destroy();
  };
  for (let at = 0; at < 200; at += 20) await Promise.all(Array.from({ length: 20 }, (_, one) => once(`many-${at + one}`)));
  expect([...said].sort()).toEqual(Array.from({ length: 200 }, (_, at) => `many-${at}`).sort());
  const answers = (await emulator.requests(creation)).map(({ status }) => status);
  expect(answers.filter((status) => status === 200)).toHaveLength(200);
  // Of each twenty that ask at once no more than eight are served.
  expect(answers.filter((status) => status === 429).length).toBeGreaterThanOrEqual(12);
  expect(await sent('^DELETE ')).toHaveLength(200);
  expect(await emulator.state()).toEqual({ boxes: [], snapshots: [] });
  await emulator.setKnobs({ creations: undefined });
});
