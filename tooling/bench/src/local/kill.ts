import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Row } from '../row.js';
import { median } from '../statistics.js';
import { withLocal } from './place.js';

const timeoutMs = 500;
const graceMs = 500;

/** A tree that ignores TERM, with a child in a session of its own. */
const stubborn = (marker: string) =>
  `trap '' TERM; setsid sh -c 'trap "" TERM; : ${marker}; sleep 61; sleep 62' & : ${marker}; sleep 61; sleep 62`;

export const killAfterTimeout: Row = {
  id: 'local.kill',
  run: (effort) =>
    withLocal(async (sandbox) => {
      const lateness: number[] = [];
      for (let round = 0; round < (effort === 'quick' ? 2 : 10); round += 1) {
        const marker = randomBytes(8).toString('hex');
        const began = performance.now();
        const { ended } = await sandbox.exec(stubborn(marker), { timeoutMs, graceMs });
        if (ended !== 'timed-out') throw new Error(`the command ${ended} instead of timing out`);
        while (survivors(marker) > 0) await delay(5);
        lateness.push(performance.now() - began - timeoutMs);
      }
      return {
        id: 'local.kill',
        what: `kill after timeout, ${graceMs} ms grace: until the last process is gone`,
        against: '–',
        figures: [{ label: 'time after the timeout', value: median(lateness), unit: 'ms', bar: { atMost: graceMs + 500 } }],
      };
    }),
};

function survivors(marker: string): number {
  return readdirSync('/proc').filter((entry) => {
    try {
      return /^\d+$/.test(entry) && readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(marker);
    } catch {
      return false;
    }
  }).length;
}
