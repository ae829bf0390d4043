import { setTimeout as delay } from 'node:timers/promises';
import { fail } from './expect.js';

/** Asks until there is an answer. A state is waited for by looking at it, never by sleeping for a guessed time. */
export async function poll<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs: number,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (let pause = 5; ; pause = Math.min(pause * 2, 100)) {
    const answer = await probe();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() >= deadline) fail(`${what}: not within ${withinMs} ms`);
    await delay(pause);
  }
}
