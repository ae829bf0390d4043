import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Jobs } from '@petasos/core';
import type { Context } from './context.js';

const chunkBytes = 256 * 1024;
const shortestPauseMs = 50;
const longestPauseMs = 1000;

/** How far one stream has been printed. */
interface Cursor {
  readonly stream: 'stdout' | 'stderr';
  readonly target: Writable;
  from: number;
  end: boolean;
}

/**
 * Prints both streams of a job from the first byte that was kept. With `follow` it goes on until the job is over and all
 * of its output is printed.
 */
export async function followOutput(context: Context, jobs: Jobs, id: string, follow: boolean): Promise<void> {
  const cursors: Cursor[] = [
    { stream: 'stdout', target: context.stdout, from: 0, end: false },
    { stream: 'stderr', target: context.stderr, from: 0, end: false },
  ];
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    let advanced = false;
    for (const cursor of cursors) {
      while (!cursor.end) {
        const output = await jobs.output(id, { stream: cursor.stream, from: cursor.from, maxBytes: chunkBytes });
        if (output.droppedBytes > 0)
          context.stderr.write(`petasos: ${output.droppedBytes} older bytes of ${cursor.stream} were dropped.\n`);
        if (output.bytes.length > 0 && !cursor.target.write(output.bytes)) await once(cursor.target, 'drain');
        cursor.from = output.next;
        cursor.end = output.end;
        if (output.bytes.length === 0) break;
        advanced = true;
      }
    }
    if (!follow || cursors.every(({ end }) => end)) return;
    if (advanced) pauseMs = shortestPauseMs;
    await delay(pauseMs);
  }
}
