/** Milliseconds, sorted or not. */
export type Samples = readonly number[];

/** The value below which a share of the samples lies, between neighbours by their distance. */
export function quantile(samples: Samples, share: number): number {
  if (samples.length === 0) throw new RangeError('no samples');
  const sorted = [...samples].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? 0;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}

export const median = (samples: Samples): number => quantile(samples, 0.5);

export interface Summary {
  readonly medianMs: number;
  readonly p10Ms: number;
  readonly p90Ms: number;
  readonly samples: number;
}

export function summarize(samples: Samples): Summary {
  return { medianMs: median(samples), p10Ms: quantile(samples, 0.1), p90Ms: quantile(samples, 0.9), samples: samples.length };
}
