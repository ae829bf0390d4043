import { describe, expect, it } from 'vitest';
import { sideBySide } from '../src/measure.js';
import { median, quantile, summarize } from '../src/statistics.js';

describe('quantile', () => {
  it('is the middle of an odd number of samples and between the two of an even one', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });

  it('lies between neighbours by their distance', () => {
    expect(quantile([0, 10], 0.1)).toBe(1);
    expect(quantile([5], 0.9)).toBe(5);
  });

  it('refuses an empty list', () => {
    expect(() => summarize([])).toThrow(RangeError);
  });
});

describe('sideBySide', () => {
  it('takes turns, changes who begins, and leaves the warm-up out', async () => {
    const calls: string[] = [];
    const act = (name: string) => async () => {
      calls.push(name);
    };
    const { ours, theirs } = await sideBySide(act('o'), act('t'), 4, 2);
    expect(calls.join('')).toBe('ottoottootto');
    expect(ours.samples).toBe(4);
    expect(theirs.samples).toBe(4);
  });

  it('fails when one side fails', async () => {
    await expect(
      sideBySide(
        async () => {},
        async () => {
          throw new Error('broken');
        },
        1,
      ),
    ).rejects.toThrow('broken');
  });
});
