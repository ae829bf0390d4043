import { Readable, Writable } from 'node:stream';
import type { RunEnd, Running, RunRequest } from '../engine/runner.js';
import { settleMs } from '../engine/supervise.js';
import { watchDue } from './due.js';

type Limits = Pick<RunRequest, 'timeoutMs' | 'graceMs' | 'signal' | 'stdin'>;

/**
 * What `start` gives. A place that takes long to begin must not keep a result back that is due whatever it does: where the command's time
 * and its grace are over before, the result is a command that ends without having begun. What comes of `start` later is ended.
 *
 * @param start told by its signal that nothing is to begin any more
 */
export async function startInTime(start: (signal: AbortSignal) => Promise<Running>, limits: Limits): Promise<Running> {
  const { graceMs, signal } = limits;
  const unwanted = new AbortController();
  const onAbort = () => unwanted.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const deaf = () => signal?.removeEventListener('abort', onAbort);
  const { due, forget } = watchDue(limits, graceMs + settleMs);
  const starting = start(unwanted.signal);
  // Until it has ended: a command whose input has to be complete first has not begun when it is given.
  void starting.then(({ ended }) => ended).then(deaf, deaf);
  try {
    const running = await Promise.race([starting, due.then(() => undefined)]);
    if (running !== undefined) return running;
    deaf();
    unwanted.abort();
    void starting.then((late) => end(late, graceMs)).catch(() => {});
    return neverBegun(limits.stdin === 'stream');
  } finally {
    forget();
  }
}

function end(late: Running, graceMs: number): Promise<void> {
  late.stdin?.destroy();
  late.stdout.resume();
  late.stderr.resume();
  return late.terminate(graceMs);
}

/** Ends as soon as anybody ends it. */
export function neverBegun(streams: boolean): Running {
  let over = () => {};
  const ended = new Promise<RunEnd>((resolve) => {
    over = () => resolve({ ended: 'signaled', exitCode: null, signal: null });
  });
  const end = async () => over();
  return {
    stdin: streams ? new Writable({ write: (_chunk, _encoding, done) => done() }) : undefined,
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    ended,
    started: Promise.resolve(),
    kill: end,
    terminate: end,
    abandon: over,
  };
}
