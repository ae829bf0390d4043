import type { CommandEnd } from '@petasos/core';
import { exitStatus } from '../ui/exit-status.js';
import { formatDuration } from '../ui/format.js';
import { signalStatus } from './signals.js';

export interface Told {
  readonly status: number;
  /** One line for stderr when the status alone would leave a person guessing. */
  readonly message?: string;
}

/** How the end of a command shows as a process status. */
export function commandStatus(
  end: CommandEnd,
  limits: { timeoutMs?: number | undefined; idleTimeoutMs?: number | undefined },
  place: string,
): Told {
  const after = (ms: number | undefined) => (ms === undefined ? '' : ` after ${formatDuration(ms)}`);
  switch (end.ended) {
    case 'exited':
      return { status: end.exitCode ?? exitStatus.placeFailed };
    case 'signaled':
      return { status: end.signal === null ? exitStatus.placeFailed : signalStatus(end.signal) };
    case 'timed-out':
      return {
        status: exitStatus.timedOut,
        message: `${place}: timed out${after(limits.timeoutMs)}; everything the command had started was ended`,
      };
    case 'idle-timed-out':
      return {
        status: exitStatus.timedOut,
        message: `${place}: no output for ${formatDuration(limits.idleTimeoutMs ?? end.durationMs)}; everything the command had started was ended`,
      };
    case 'aborted':
      return { status: exitStatus.interrupted };
    case 'out-of-memory':
      return {
        status: signalStatus('SIGKILL'),
        message: `${place}: the command was killed because the place ran out of memory. Give it more memory, or let it use less`,
      };
    case 'disconnected':
      return {
        status: exitStatus.placeFailed,
        message: `${place}: the connection was lost while the command ran; how it ended is not known`,
      };
    case 'destroyed':
      return { status: exitStatus.placeFailed, message: `${place}: the sandbox was destroyed while the command ran` };
  }
}
