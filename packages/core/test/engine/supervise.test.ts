import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Driver, SandboxState } from '../../src/contract/index.js';
import type { RunEnd, Running } from '../../src/engine/runner.js';
import { supervise } from '../../src/engine/supervise.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A command that never ends by itself, in a place that answers `state`. */
function silent(state: () => Promise<SandboxState>) {
  let finish: (end: RunEnd) => void = () => {};
  const ended = new Promise<RunEnd>((resolve) => {
    finish = resolve;
  });
  const running: Running = {
    stdin: undefined,
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    ended,
    started: Promise.resolve(),
    kill: async () => {},
    terminate: async () => {},
    abandon: (reason) => finish({ ended: reason, exitCode: null, signal: null }),
  };
  const driver = { state } as Driver;
  const now = () => performance.now();
  return supervise(running, {
    timeoutMs: undefined,
    idleTimeoutMs: undefined,
    graceMs: 0,
    signal: undefined,
    driver,
    now,
    startedAt: now(),
  });
}

it.each([0, 500, 1_900])('a place that is lost after %i ms is noticed within 5 s, whenever the command last spoke', async (spokeAtMs) => {
  const supervised = silent(() => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(spokeAtMs);
  supervised.touch();
  const lostAt = performance.now();
  let noticedAt = Number.POSITIVE_INFINITY;
  void supervised.ended.then(() => {
    noticedAt = performance.now();
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(noticedAt - lostAt).toBeLessThan(5_000);
  expect((await supervised.ended).ended).toBe('disconnected');
});

it('a command that speaks is not asked after', async () => {
  let asked = 0;
  const supervised = silent(async () => {
    asked += 1;
    return 'running';
  });
  for (let second = 0; second < 10; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    supervised.touch();
  }
  expect(asked).toBe(0);
  await vi.advanceTimersByTimeAsync(2_100);
  expect(asked).toBe(1);
});
