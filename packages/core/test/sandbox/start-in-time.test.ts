import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Running } from '../../src/engine/runner.js';
import { startInTime } from '../../src/sandbox/start-in-time.js';

describe('a start', () => {
  let begin: (running: Running) => void;
  let told: AbortSignal | undefined;
  const ended: number[] = [];

  const start = (signal: AbortSignal) => {
    told = signal;
    return new Promise<Running>((resolve) => {
      begin = resolve;
    });
  };

  const running = (): Running => ({
    stdin: undefined,
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    ended: new Promise(() => {}),
    started: Promise.resolve(),
    kill: async () => {},
    terminate: async (graceMs) => void ended.push(graceMs),
    abandon: () => {},
  });

  beforeEach(() => {
    vi.useFakeTimers();
    ended.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('that comes in time is what it is, and nothing waits on', async () => {
    const asked = startInTime(start, { timeoutMs: 1000, graceMs: 300, signal: undefined, stdin: 'none' });
    const given = running();
    await vi.advanceTimersByTimeAsync(1600);
    begin(given);
    expect(await asked).toBe(given);
    expect([told?.aborted, vi.getTimerCount(), ended]).toEqual([false, 0, []]);
  });

  it('that comes too late is a command that has not begun, and ends what begins after all', async () => {
    const asked = startInTime(start, { timeoutMs: 1000, graceMs: 300, signal: undefined, stdin: 'stream' });
    await vi.advanceTimersByTimeAsync(1700);
    const given = await asked;
    expect(told?.aborted).toBe(true);
    given.stdin?.end('unheard');
    await given.terminate(300);
    expect(await given.ended).toEqual({ ended: 'signaled', exitCode: null, signal: null });
    expect([await given.stdout.toArray(), await given.stderr.toArray()]).toEqual([[], []]);
    begin(running());
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toEqual([300]);
  });

  it('is waited for after an abort no longer than the grace', async () => {
    const abort = new AbortController();
    const asked = startInTime(start, { timeoutMs: undefined, graceMs: 300, signal: abort.signal, stdin: 'none' });
    await vi.advanceTimersByTimeAsync(60_000);
    abort.abort('enough');
    expect(told?.reason).toBe('enough');
    await vi.advanceTimersByTimeAsync(700);
    expect((await asked).stdin).toBeUndefined();
  });

  it('that fails says why', async () => {
    const failing = () => Promise.reject(new Error('no lane'));
    await expect(startInTime(failing, { timeoutMs: 1000, graceMs: 300, signal: AbortSignal.abort(), stdin: 'none' })).rejects.toThrow(
      'no lane',
    );
    expect(vi.getTimerCount()).toBe(0);
  });
});
