import type { Driver, Ended } from '../contract/index.js';
import type { Running } from './runner.js';

export interface Supervision {
  readonly timeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly graceMs: number;
  readonly signal: AbortSignal | undefined;
  readonly driver: Driver;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** When the caller asked for the command: time on the way to the place counts. */
  readonly startedAt: number;
}

export interface SupervisedEnd {
  readonly ended: Ended;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly note: string | undefined;
}

export interface Supervised {
  /** To be called whenever the command has written something. */
  touch(): void;
  readonly ended: Promise<SupervisedEnd>;
}

/** Time past the grace period within which a result is given, whatever the place does. */
const settleMs = 400;
const roundMs = 50;
/** How often a silent place is asked whether it is still there, and how long it may take to answer. */
const livenessMs = 2_000;
const answerMs = 2_500;

/** Ends the command at its deadline, on abort, and when its place is gone; the result says why it ended. */
export function supervise(running: Running, settings: Supervision): Supervised {
  const { startedAt } = settings;
  let touchedAt = settings.now();
  let over = false;
  let reason: Extract<Ended, 'timed-out' | 'idle-timed-out' | 'aborted'> | undefined;
  const timers = new Set<NodeJS.Timeout>();
  let cleared = Promise.resolve();

  const later = (ms: number, action: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      action();
    }, ms);
    timers.add(timer);
  };

  const stop = (why: typeof reason) => {
    if (reason || over) return;
    reason = why;
    cleared = end(running, settings);
  };

  const idle = (limit: number) => {
    const left = limit - (settings.now() - touchedAt);
    if (left <= 0) stop('idle-timed-out');
    else later(left, () => idle(limit));
  };

  const watch = () => {
    later(livenessMs, async () => {
      if (settings.now() - touchedAt >= livenessMs) {
        const lost = await isLost(settings.driver);
        if (over) return;
        if (lost) {
          running.abandon(lost);
          return;
        }
      }
      watch();
    });
  };

  if (settings.timeoutMs !== undefined) later(startedAt + settings.timeoutMs - settings.now(), () => stop('timed-out'));
  if (settings.idleTimeoutMs !== undefined) idle(settings.idleTimeoutMs);
  if (settings.driver.state) watch();
  const onAbort = () => stop('aborted');
  if (settings.signal?.aborted) onAbort();
  else settings.signal?.addEventListener('abort', onAbort, { once: true });

  const ended = running.ended.then(async (end): Promise<SupervisedEnd> => {
    // A tree whose leader has obeyed may have members that have not.
    await cleared;
    over = true;
    for (const timer of timers) clearTimeout(timer);
    settings.signal?.removeEventListener('abort', onAbort);
    // The place enforces the deadline too, for a client that has been suspended since.
    if (!reason && end.ended === 'signaled' && settings.timeoutMs !== undefined && settings.now() - startedAt >= settings.timeoutMs) reason = 'timed-out';
    const killed = end.ended === 'signaled' && end.signal === 'SIGKILL' && !reason;
    const explained = killed ? await settings.driver.explainKill?.().catch(() => undefined) : undefined;
    const lost = end.ended === 'disconnected' || end.ended === 'destroyed';
    return {
      ended: lost ? end.ended : (reason ?? explained ?? end.ended),
      exitCode: end.exitCode,
      signal: end.signal,
      durationMs: settings.now() - startedAt,
      note: end.note,
    };
  });
  return {
    touch() {
      touchedAt = settings.now();
    },
    ended,
  };
}

/** TERM, grace, KILL, repeated for a command that was only about to start; given up when the place does not answer. */
async function end(running: Running, settings: Supervision): Promise<void> {
  const deadline = settings.now() + settings.graceMs + settleMs;
  let finished = false;
  void running.ended.then(() => {
    finished = true;
  });
  do {
    const grace = Math.max(0, Math.round(Math.min(settings.graceMs, deadline - settleMs - settings.now())));
    // The place counts its grace in naps, which a busy machine stretches: the next round is without any.
    await before(running.terminate(grace), grace > 0 ? grace + roundMs : deadline - settings.now());
    await before(running.ended, 20);
  } while (!finished && settings.now() < deadline);
  if (!finished) running.abandon('disconnected');
}

async function before(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms));
  });
  await Promise.race([promise.catch(() => {}), limit]);
  clearTimeout(timer);
}

async function isLost(driver: Driver): Promise<'disconnected' | 'destroyed' | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<'unanswered'>((resolve) => {
    timer = setTimeout(() => resolve('unanswered'), answerMs);
  });
  const state = await Promise.race([driver.state?.().catch(() => 'unanswered' as const), limit]);
  clearTimeout(timer);
  if (state === 'unanswered') return 'disconnected';
  return state === 'gone' || state === 'stopped' ? 'destroyed' : undefined;
}
