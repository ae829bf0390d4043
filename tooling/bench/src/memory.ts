import { readFileSync, writeFileSync } from 'node:fs';

const MiB = 1024 * 1024;

/**
 * How far the resident memory of this process rises above its start while `action` runs, in MiB. On Linux the kernel's own high
 * mark, which misses nothing; elsewhere samples every few milliseconds.
 */
export async function memoryRise(action: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  const exact = resetHighMark();
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, 5);
  try {
    await action();
  } finally {
    clearInterval(timer);
  }
  return (Math.max(highest, exact ? highMark() : 0) - before) / MiB;
}

function resetHighMark(): boolean {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
    return true;
  } catch {
    return false;
  }
}

function highMark(): number {
  return Number(readFileSync('/proc/self/status', 'utf8').match(/^VmHWM:\s+(\d+) kB/m)?.[1] ?? 0) * 1024;
}
