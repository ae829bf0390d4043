import type { Progress } from '@petasos/core';
import type { Context } from '../session/context.js';
import { oneLine } from './text.js';
import { widthOf } from './width.js';

export interface ProgressDisplay {
  report(event: Progress): void;
  /** Takes the line away again. */
  end(): void;
}

/**
 * One line on stderr that is rewritten; on something that is not a terminal, one line a step. Nothing is shown when
 * nothing slow happens.
 */
export function showProgress(context: Context): ProgressDisplay {
  const { stderr } = context;
  let lastStep = '';
  let shown = false;
  return {
    report: (event) => {
      const text = progressText(event);
      if (stderr.isTTY) {
        stderr.write(`\r\u001b[2K${text.slice(0, Math.max(10, (widthOf(stderr) ?? 80) - 1))}`);
        shown = true;
      } else if (event.step !== lastStep) {
        stderr.write(`${oneLine(event.step)}\n`);
      }
      lastStep = event.step;
    },
    end: () => {
      if (shown) stderr.write('\r\u001b[2K');
      shown = false;
    },
  };
}

function progressText({ step, done, total, unit, detail }: Progress): string {
  const amount = (value: number) => (unit === 'bytes' ? `${(value / 1_048_576).toFixed(1)} MiB` : String(value));
  const counted =
    done === undefined
      ? ''
      : total === undefined || total === 0
        ? ` ${amount(done)}`
        : ` ${amount(done)} of ${amount(total)} (${Math.floor((done / total) * 100)} %)`;
  return oneLine(`${step}${counted}${detail === undefined ? '' : ` ${detail}`}`);
}
