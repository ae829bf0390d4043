import { setTimeout as delay } from 'node:timers/promises';

/** Asks until the answer is yes. */
export async function until(ask: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await ask())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${ask}`);
    await delay(50);
  }
}
