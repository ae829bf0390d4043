import { PetasosError, timerMs } from '../contract/index.js';
import type { CommandOptions } from './types.js';

export type Deadlines = Pick<CommandOptions, 'timeoutMs' | 'signal'>;

export interface Due {
  /** Resolves when the deadline of a command, or its abort, is `afterMs` ago. */
  readonly due: Promise<'timed-out' | 'aborted'>;
  /** Nothing waits on. To be called in any case. */
  forget(): void;
}

export function watchDue({ timeoutMs, signal }: Deadlines, afterMs: number): Due {
  const timers: NodeJS.Timeout[] = [];
  let resolve = (_why: 'timed-out' | 'aborted') => {};
  const due = new Promise<'timed-out' | 'aborted'>((settle) => {
    resolve = settle;
  });
  const within = (ms: number, why: 'timed-out' | 'aborted') => timers.push(setTimeout(() => resolve(why), timerMs(ms + afterMs)));
  const aborted = () => within(0, 'aborted');
  if (timeoutMs !== undefined) within(timeoutMs, 'timed-out');
  if (signal?.aborted) aborted();
  else signal?.addEventListener('abort', aborted, { once: true });
  return {
    due,
    forget() {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    },
  };
}

/** The time of a command was over before it could be started. */
export class OverBeforeStart extends Error {}

/**
 * What a command needs to know before it can be judged and started.
 * @throws `aborted`, and {@link OverBeforeStart}, while `asked` is still waited for
 */
export async function beforeDue<T>(asked: Promise<T>, deadlines: Deadlines): Promise<T> {
  const { due, forget } = watchDue(deadlines, 0);
  const overBefore = due.then((why): never => {
    if (why === 'timed-out') throw new OverBeforeStart();
    throw new PetasosError('aborted', 'aborted before the command started');
  });
  try {
    return await Promise.race([asked, overBefore]);
  } finally {
    forget();
  }
}
