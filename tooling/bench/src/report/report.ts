import { cpus, release, totalmem } from 'node:os';
import type { CurveResult, RowResult } from '../row.js';

/** One run, as it is kept. */
export interface Report {
  readonly place: string;
  /** ISO 8601. */
  readonly at: string;
  readonly effort: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly os: string;
    readonly node: string;
  };
  readonly rows: readonly RowResult[];
  readonly curves: readonly CurveResult[];
}

export function thisMachine(): Report['machine'] {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    os: `${process.platform} ${release()}`,
    node: process.version,
  };
}
