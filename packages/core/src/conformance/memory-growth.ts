import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const lookEveryMs = 10;

type Collect = (options?: { readonly type: 'minor' }) => void;

/**
 * Bytes that the resident memory of this process grew by at most while the work ran. What is garbage is collected as it comes: left to itself V8 lets
 * 32 MiB of freed buffers lie about, whoever has made them, and that would be measured instead of what is held.
 */
export async function memoryGrowth(work: () => Promise<void>): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  collect();
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
    collect({ type: 'minor' });
  }, lookEveryMs);
  try {
    await work();
  } finally {
    clearInterval(look);
  }
  return Math.max(peak, process.memoryUsage.rss()) - before;
}
