import { setTimeout as delay } from 'node:timers/promises';
import { type Driver, type Ended, timerMs } from '../contract/index.js';
import type { RunEnd, Running } from './runner.js';
import { readStatus } from './signals.js';

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
  /** Ends the command because its sandbox is let go of (`aborted`) or removed (`destroyed`). */
  stop(reason: 'aborted' | 'destroyed', graceMs: number): void;
  /** To be called whenever the command has written something. */
  touch(): void;
  readonly ended: Promise<SupervisedEnd>;
}

/** Time past the grace period within which a result is given, whatever the place does. */
export const settleMs = 400;
const roundMs = 50;
/** How often a silent place is asked whether it is still there, and how long it may take to answer. */
const livenessMs = 2_000;
const answerMs = 2_500;

/** Ends the command at its deadline, on abort, and when its place is gone; the result says why it ended. */
export function supervise(running: Running, settings: Supervision): Supervised {
  const { startedAt } = settings;
  let touchedAt = settings.now();
  let over = false;
  let reason: Extract<Ended, 'timed-out' | 'idle-timed-out' | 'aborted' | 'destroyed'> | undefined;
  const timers = new Set<NodeJS.Timeout>();
  let cleared = Promise.resolve();

  const later = (ms: number, action: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      action();
    }, timerMs(ms));
    timers.add(timer);
  };

  const stop = (why: typeof reason, graceMs = settings.graceMs) => {
    if (reason || over) return;
    reason = why;
    cleared = end(running, { ...settings, graceMs });
  };

  /** Stops at the deadline, which may have moved by the time a timer fires, and may be further away than a timer reaches. */
  const expire = (deadline: () => number, why: 'timed-out' | 'idle-timed-out') => {
    const left = deadline() - settings.now();
    if (left <= 0) stop(why);
    else later(left, () => expire(deadline, why));
  };

  const look = async () => {
    const silentMs = settings.now() - touchedAt;
    // What was silent for less is asked as soon as it has been silent for so long: a lost place is noticed in time.
    if (silentMs < livenessMs) return watch(livenessMs - silentMs);
    const lost = await isLost(settings.driver);
    if (over) return;
    if (lost) running.abandon(lost);
    else watch(livenessMs);
  };

  const watch = (ms: number) => {
    later(ms, () => void look());
  };

  const { timeoutMs, idleTimeoutMs } = settings;
  if (timeoutMs !== undefined) expire(() => startedAt + timeoutMs, 'timed-out');
  if (idleTimeoutMs !== undefined) expire(() => touchedAt + idleTimeoutMs, 'idle-timed-out');
  if (settings.driver.state) watch(livenessMs);
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
    if (!reason && end.ended === 'signaled' && settings.timeoutMs !== undefined && settings.now() - startedAt >= settings.timeoutMs)
      reason = 'timed-out';
    const found = reason ?? (await explain(settings.driver, end)) ?? end.ended;
    const observed = found === 'destroyed' || found === 'disconnected' ? undefined : reason ? endedByUs(end) : end;
    return {
      ended: found,
      exitCode: observed?.exitCode ?? null,
      signal: observed?.signal ?? null,
      durationMs: settings.now() - startedAt,
      note: end.note,
    };
  });
  return {
    stop,
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
  let gone = false;
  void running.ended.then(() => {
    finished = true;
  });
  do {
    const grace = Math.max(0, Math.round(Math.min(settings.graceMs, deadline - settleMs - settings.now())));
    const round = running.terminate(grace).then(() => {
      gone = true;
    });
    // The place counts its grace in naps, which a busy machine stretches: the next round is without any.
    await before(round, grace > 0 ? grace + roundMs : deadline - settings.now());
    await before(running.ended, 20);
  } while (!(finished && gone) && settings.now() < deadline);
  if (!finished) running.abandon('disconnected');
}

/**
 * The whole tree was signaled: a shell that saw its child die an instant before it was hit itself has passed on the child's status, and
 * whether it had the time to says nothing about the command.
 */
function endedByUs(end: RunEnd): Pick<RunEnd, 'exitCode' | 'signal'> {
  if (end.exitCode === null) return end;
  const sent = (['SIGTERM', 'SIGKILL'] as const).find((signal) => readStatus(end.exitCode ?? 0, false, signal).signal !== null);
  return sent === undefined ? end : { exitCode: null, signal: sent };
}

/** Why a command was killed by somebody else: the machine ran out of memory, or the whole place ended. */
async function explain(driver: Driver, end: RunEnd): Promise<'out-of-memory' | 'destroyed' | undefined> {
  if (end.ended !== 'signaled' && !(end.exitCode !== null && end.exitCode > 128)) return undefined;
  const state = await driver.state?.().catch(() => undefined);
  if (state === 'gone' || state === 'stopped') return 'destroyed';
  return end.signal === 'SIGKILL' ? driver.explainKill?.().catch(() => undefined) : undefined;
}

async function before(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timerMs(ms));
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
  // Somebody else has paused the place: a command that waits in it must not wait for ever.
  if (state === 'paused') await driver.resume?.().catch(() => {});
  if (state === 'unanswered') return 'disconnected';
  return state === 'gone' || state === 'stopped' ? 'destroyed' : undefined;
}

/** Resolves when the place does not answer any more; rejects when the signal fires first. For work that nobody supervises yet. */
export async function untilUnanswered(driver: Driver, signal: AbortSignal): Promise<undefined> {
  do await delay(livenessMs, undefined, { signal, ref: false });
  while (driver.state === undefined || (await isLost(driver)) !== 'disconnected');
  return undefined;
}
