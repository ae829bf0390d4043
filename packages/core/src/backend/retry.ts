import { setTimeout as delay } from 'node:timers/promises';
import { PetasosError, type Progress } from '../contract/index.js';

/** What a backend makes of a failed request. It alone knows whether the request may be sent again. */
export type FailureVerdict =
  | { readonly retry: false }
  | {
      readonly retry: true;
      /** What the service asked for, in milliseconds (`Retry-After`). */
      readonly afterMs?: number | undefined;
      /** For people who wait: `rate limited`, `the service is unavailable`. */
      readonly reason: string;
    };

export interface RetrySettings {
  readonly backend: string;
  readonly operation: string;
  judge(error: unknown): FailureVerdict;
  /** How often it is sent at most; default 6. A refusal that says when to come back does not count: time alone bounds those. */
  readonly attempts?: number | undefined;
  /** Milliseconds that waiting may take in all; default 60 000. A longer `Retry-After` ends the attempts at once. */
  readonly waitAtMostMs?: number | undefined;
  /** First pause, doubled each time up to 10 s; default 250 ms. The real one is drawn between half of it and all of it. */
  readonly firstPauseMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
  /** Between 0 and 1; for tests. */
  readonly random?: (() => number) | undefined;
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

const longestPauseMs = 10_000;

/**
 * Sends a request until it succeeds, the failure is one that repeating does not mend, or waiting has taken its time; the last failure is then
 * thrown as it is. What is sent must be safe to send twice, or `judge` must say no whenever the service may have acted.
 * @throws `aborted` when `signal` fires during a pause.
 */
export async function withRetries<Result>(send: (attempt: number) => Promise<Result>, settings: RetrySettings): Promise<Result> {
  const attempts = settings.attempts ?? 6;
  let left = settings.waitAtMostMs ?? 60_000;
  let pause = settings.firstPauseMs ?? 250;
  let counted = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(attempt);
    } catch (error) {
      const verdict = settings.judge(error);
      if (!verdict.retry) throw error;
      // Among many clients of one limit somebody loses every draw of a few.
      const told = verdict.afterMs !== undefined && verdict.afterMs > 0;
      if (!told) counted += 1;
      if (counted >= attempts) throw error;
      const random = (settings.random ?? Math.random)();
      // What the service asked for is a lower bound: clients that were refused together must not come back together.
      const wait = verdict.afterMs === undefined ? pause * (0.5 + random / 2) : verdict.afterMs + pause * (random / 2);
      if (wait > left) throw error;
      left -= wait;
      pause = Math.min(longestPauseMs, pause * 2);
      settings.onProgress?.({
        step: `waiting for ${settings.backend}`,
        done: attempt,
        ...(!told && { total: attempts }),
        detail: `${settings.operation}: ${verdict.reason}; again in ${(wait / 1000).toFixed(1)} s`,
      });
      await sleep(wait, settings);
    }
  }
}

async function sleep(ms: number, { backend, operation, signal, sleep }: RetrySettings): Promise<void> {
  try {
    await (sleep ? sleep(ms, signal) : delay(ms, undefined, { signal }));
  } catch (cause) {
    if (!signal?.aborted) throw cause;
    throw new PetasosError('aborted', `${operation} of ${backend} was aborted while it waited to try again`, { backend, operation, cause });
  }
}

/** Milliseconds that a `Retry-After` header asks for: seconds (with a fraction) or an HTTP date. Undefined when it says neither. */
export function retryAfterMs(header: string | null | undefined, now: number = Date.now()): number | undefined {
  if (header === null || header === undefined || header.trim() === '') return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Math.ceil(Number(header) * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
