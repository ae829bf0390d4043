const lookEveryMs = 10;

/** Bytes that the resident memory of this process grew by at most while the work ran. */
export async function memoryGrowth(work: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, lookEveryMs);
  try {
    await work();
  } finally {
    clearInterval(look);
  }
  return Math.max(peak, process.memoryUsage.rss()) - before;
}
