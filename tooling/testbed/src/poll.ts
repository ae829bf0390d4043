import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks until the answer is neither `undefined` nor `false`, or throws what was last seen once `timeoutMs` is over.
 * An error of `ask` counts as "not yet".
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 30_000, everyMs = 50 }: { readonly timeoutMs?: number; readonly everyMs?: number } = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    if (performance.now() >= deadline) throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: last });
    await delay(everyMs);
  }
}
