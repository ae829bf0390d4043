import { type Summary, summarize } from './statistics.js';

export type Action = () => Promise<unknown>;

export interface SideBySide {
  readonly ours: Summary;
  readonly theirs: Summary;
  /** Median of ours over median of theirs: below 1, ours takes less time. */
  readonly ratio: number;
}

/**
 * Times two actions in turns, so that whatever else the machine does falls on both. Who begins changes from round to round.
 */
export async function sideBySide(ours: Action, theirs: Action, rounds: number, warmUp = Math.ceil(rounds / 10)): Promise<SideBySide> {
  const samples = { ours: [] as number[], theirs: [] as number[] };
  for (let round = -warmUp; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const);
    for (const side of order) {
      const ms = await timed(side === 'ours' ? ours : theirs);
      if (round >= 0) samples[side].push(ms);
    }
  }
  const result = { ours: summarize(samples.ours), theirs: summarize(samples.theirs) };
  return { ...result, ratio: result.ours.medianMs / result.theirs.medianMs };
}

export async function timed(action: Action): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}
