import { expect, it } from 'vitest';
import { PetasosError, type Progress, type RetrySettings, retryAfterMs, withRetries } from '../../src/backend.js';

const pauses = (settings: Partial<RetrySettings> = {}) => {
  const slept: number[] = [];
  const all: RetrySettings = {
    backend: 'cloud',
    operation: 'create',
    judge: () => ({ retry: true, reason: 'busy' }),
    random: () => 1,
    sleep: async (ms) => void slept.push(ms),
    ...settings,
  };
  return { slept, settings: all };
};

const failing = (times: number) => async (attempt: number) => {
  if (attempt <= times) throw new Error(`failure ${attempt}`);
  return attempt;
};

it('repeats until it succeeds, with longer and longer pauses', async () => {
  const { slept, settings } = pauses({ attempts: 10 });
  expect(await withRetries(failing(7), settings)).toBe(8);
  expect(slept).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000]);
});

it('two clients do not come back at the same moment', async () => {
  const early = pauses({ random: () => 0 });
  await withRetries(failing(1), early.settings);
  expect(early.slept).toEqual([125]);
});

it('never comes back before the service said', async () => {
  const { slept, settings } = pauses({ judge: () => ({ retry: true, afterMs: 3000, reason: 'rate limited' }), random: () => 0 });
  await withRetries(failing(1), settings);
  expect(slept).toEqual([3000]);
});

it('gives up after its attempts with the last failure', async () => {
  const { slept, settings } = pauses({ attempts: 3 });
  await expect(withRetries(failing(9), settings)).rejects.toThrow('failure 3');
  expect(slept).toHaveLength(2);
});

it('a refusal that says when to come back is no attempt: only the time for waiting ends it', async () => {
  const limited = pauses({ attempts: 3, random: () => 0, judge: () => ({ retry: true, afterMs: 1000, reason: 'rate limited' }) });
  expect(await withRetries(failing(50), limited.settings)).toBe(51);
  await expect(withRetries(failing(61), limited.settings)).rejects.toThrow('failure 61');
  const at = pauses({ attempts: 3, random: () => 0, judge: () => ({ retry: true, afterMs: 0, reason: 'busy' }) });
  await expect(withRetries(failing(9), at.settings)).rejects.toThrow('failure 3');
});

it('does not wait longer than it may, and does not wait in vain', async () => {
  const { slept, settings } = pauses({ judge: () => ({ retry: true, afterMs: 90_000, reason: 'rate limited' }), waitAtMostMs: 60_000 });
  await expect(withRetries(failing(1), settings)).rejects.toThrow('failure 1');
  expect(slept).toEqual([]);
});

it('does not repeat what must not be repeated', async () => {
  let sent = 0;
  const { settings } = pauses({ judge: () => ({ retry: false }) });
  const send = async () => {
    sent += 1;
    throw new Error('unknown outcome');
  };
  await expect(withRetries(send, settings)).rejects.toThrow('unknown outcome');
  expect(sent).toBe(1);
});

it('says that it waits, and why', async () => {
  const told: Progress[] = [];
  const { settings } = pauses({ onProgress: (event) => told.push(event) });
  await withRetries(failing(1), settings);
  expect(told).toEqual([{ step: 'waiting for cloud', done: 1, total: 6, detail: 'create: busy; again in 0.3 s' }]);
});

it('an abort ends the waiting', async () => {
  const { settings } = pauses({ sleep: undefined, firstPauseMs: 10_000, signal: AbortSignal.timeout(20) });
  await expect(withRetries(failing(1), settings)).rejects.toSatisfy((error) => error instanceof PetasosError && error.code === 'aborted');
});

it.each([
  ['2', 2000],
  ['0.5', 500],
  ['Thu, 01 Jan 1970 00:00:10 GMT', 9000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j asks for %j ms', (header, expected) => {
  expect(retryAfterMs(header, 1000)).toBe(expected);
});
