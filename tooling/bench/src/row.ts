import type { Summary } from './statistics.js';

/** What a figure must not be above, or below. */
export type Bar = { readonly atMost: number } | { readonly atLeast: number };

/** One figure and whether it is where it must be. */
export interface Figure {
  readonly label: string;
  readonly value: number;
  /** `×` for a ratio of medians; otherwise the unit of the value. */
  readonly unit: '×' | 'MiB' | 'ms' | 'bytes';
  readonly bar: Bar;
}

export interface RowResult {
  readonly id: string;
  readonly what: string;
  readonly against: string;
  readonly figures: readonly Figure[];
  /** The medians behind a ratio. */
  readonly ours?: Summary | undefined;
  readonly theirs?: Summary | undefined;
}

/** One line of the report. */
export interface Row {
  readonly id: string;
  run(effort: Effort): Promise<RowResult>;
}

/** `quick` is for a look during work; its figures are not for a report. */
export type Effort = 'quick' | 'full';

export function holds({ value, bar }: Figure): boolean {
  return 'atMost' in bar ? value <= bar.atMost : value >= bar.atLeast;
}

export interface CurveResult {
  readonly id: string;
  readonly what: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly { readonly label: string; readonly points: readonly { readonly x: number; readonly y: number }[] }[];
}

/** How a cost grows. */
export interface Curve {
  readonly id: string;
  run(effort: Effort): Promise<CurveResult>;
}
