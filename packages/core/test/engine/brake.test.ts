import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { brake } from '../../src/engine/lane/brake.js';

describe('the brake of a command whose reader rests', () => {
  let restingMs: number;
  let sent: string[];
  let end: () => void;

  beforeEach(() => {
    vi.useFakeTimers();
    restingMs = 0;
    sent = [];
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    brake(
      () => restingMs,
      (signal) => sent.push(signal),
      ended,
    );
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it('halts it once, and lets it go on once the reader does', () => {
    restingMs = 100;
    vi.advanceTimersByTime(50);
    expect(sent).toEqual(['STOP']);
    restingMs = 0;
    vi.advanceTimersByTime(50);
    expect(sent).toEqual(['STOP', 'CONT']);
  });

  it('leaves nothing halted that outlives the command', async () => {
    restingMs = 100;
    vi.advanceTimersByTime(50);
    end();
    await vi.advanceTimersByTimeAsync(50);
    expect(sent).toEqual(['STOP', 'CONT']);
  });

  it('says nothing of a command that has ended', async () => {
    end();
    restingMs = 100;
    await vi.advanceTimersByTimeAsync(50);
    expect(sent).toEqual([]);
  });
});
