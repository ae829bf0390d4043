import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beforeDue, OverBeforeStart } from '../../src/sandbox/due.js';

describe('what a command waits for before it starts', () => {
  const never = () => new Promise<never>(() => {});

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is given when it comes in time, and nothing waits on', async () => {
    const { signal } = new AbortController();
    expect(await beforeDue(Promise.resolve('home'), { timeoutMs: 1000, signal })).toBe('home');
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort')]).toEqual([0, []]);
  });

  it('is not waited for longer than the timeout', async () => {
    const late = expect(beforeDue(never(), { timeoutMs: 1000 })).rejects.toBeInstanceOf(OverBeforeStart);
    await vi.advanceTimersByTimeAsync(1000);
    await late;
  });

  it('is not waited for after an abort', async () => {
    const abort = new AbortController();
    const late = expect(beforeDue(never(), { timeoutMs: 1000, signal: abort.signal })).rejects.toMatchObject({ code: 'aborted' });
    abort.abort();
    await vi.advanceTimersByTimeAsync(0);
    await late;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fails with its own error', async () => {
    await expect(beforeDue(Promise.reject(new Error('no lane')), { timeoutMs: 1000 })).rejects.toThrow('no lane');
  });
});
