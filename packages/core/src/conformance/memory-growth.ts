import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const lookEveryMs = 10;

type Collect = (options?: { readonly type: 'minor' }) => void;

/** V8 gives back the buffers that one collection frees in the background, and what only finalizers hold goes a collection later. */
const collectionsForAll = 3;

/**
 * Bytes that the resident memory of this process grew by at most while the work ran, without garbage: left to itself V8 lets 32 MiB of freed
 * buffers lie about, and more on a busy machine, whoever has made them. So all is collected before a new peak is believed.
 */
export async function memoryGrowth(work: () => Promise<void>): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  const collectAll = () => {
    for (let round = 0; round < collectionsForAll; round += 1) collect();
  };
  const resident = () => process.memoryUsage.rss();
  collectAll();
  const before = resident();
  let peak = before;
  const look = () => {
    if (resident() > peak) collectAll();
    else collect({ type: 'minor' });
    peak = Math.max(peak, resident());
  };
  const looks = setInterval(look, lookEveryMs);
  try {
    await work();
  } finally {
    clearInterval(looks);
  }
  look();
  return peak - before;
}
