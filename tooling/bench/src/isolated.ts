import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CurveResult, Effort, RowResult } from './row.js';

export interface Task {
  readonly place: string;
  readonly id: string;
  readonly effort: Effort;
}

/**
 * Runs one measurement in a process of its own, so that what an earlier one left in memory is not counted.
 * @returns undefined when it failed; it has said why on stderr.
 */
export function measureIsolated<Result extends RowResult | CurveResult>(task: Task): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), [task.place, task.id, task.effort]);
    let result: Result | undefined;
    child.once('message', (message) => {
      result = message as Result;
    });
    child.once('error', reject);
    child.once('exit', () => resolve(result));
  });
}
