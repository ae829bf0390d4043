import type { Warning } from '../contract/index.js';

export interface Lifetime {
  readonly backend: string;
  /** Milliseconds until the service ends the sandbox; null when nothing ends it. */
  readonly leftMs: number | null;
  /** The most that the service allows, from its creation. */
  readonly maximumMs?: number | undefined;
  /** What can be done: extend it, or take a snapshot and open a new one from it. */
  readonly remedy: string;
}

const shortMs = 15 * 60_000;

/** Warns of a life that ends soon. */
export function lifetimeWarnings({ backend, leftMs, maximumMs, remedy }: Lifetime): Warning[] {
  if (leftMs === null || leftMs > shortMs) return [];
  const most = maximumMs === undefined ? '' : `; ${backend} allows ${duration(maximumMs)} at most`;
  return [{ id: 'lifetime.short', message: `${backend} ends this sandbox in ${duration(Math.max(0, leftMs))}${most}`, remedy }];
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1000)} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
