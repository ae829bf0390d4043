import { describe, expect, it } from 'vitest';
import { readStatus } from '../../src/engine/signals.js';

describe('a shell’s status', () => {
  it('above 128 is an exit status when the shell has said nothing of a signal', () => {
    expect(readStatus(137, false, undefined)).toEqual({ ended: 'exited', exitCode: 137, signal: null });
    expect(readStatus(130, false, undefined)).toEqual({ ended: 'exited', exitCode: 130, signal: null });
  });

  it('is a signal when the shell has said so, or when the signal was ours', () => {
    expect(readStatus(137, true, undefined)).toEqual({ ended: 'signaled', exitCode: null, signal: 'SIGKILL' });
    expect(readStatus(130, false, 'SIGINT')).toEqual({ ended: 'signaled', exitCode: null, signal: 'SIGINT' });
  });

  it('that is not of the signal we sent stays an exit status', () => {
    expect(readStatus(9, false, 'SIGINT')).toEqual({ ended: 'exited', exitCode: 9, signal: null });
    expect(readStatus(143, false, 'SIGINT')).toEqual({ ended: 'exited', exitCode: 143, signal: null });
  });
});
