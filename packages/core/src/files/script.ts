import type { Readable } from 'node:stream';
import { abortedError, endError, type Subject } from './errors.js';
import type { FilesPlace, ScriptRunner } from './place.js';

const graceMs = 2_000;
const stderrKept = 2_048;

export interface ScriptRequest {
  readonly text: string;
  readonly args: readonly string[];
  readonly stdin?: 'stream' | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A script of this layer that has started. */
export interface RunningScript {
  readonly running: Awaited<ReturnType<ScriptRunner['run']>>;
  /** Settles when the script is over; rejects with the typed error for its end. */
  readonly done: Promise<void>;
  /** Ends the script and lets its output go. For a caller that wants no more of it. */
  stop(): void;
}

/** Starts one of this layer's scripts. Its words on stderr only ever become `data.detail` of an error. */
export async function startScript(place: FilesPlace, subject: Subject, request: ScriptRequest): Promise<RunningScript> {
  const { signal } = request;
  if (signal?.aborted) throw abortedError(subject, signal.reason);
  const running = await place.runner.run({
    program: { kind: 'script', text: request.text, args: request.args },
    stdin: request.stdin ?? 'none',
    graceMs,
    signal,
  });
  const said = tail(running.stderr);
  const stop = () => {
    void running.terminate(graceMs).catch(() => {});
    // With an error: a runner that still gathers the input must not take what it has for the whole.
    running.stdin?.destroy(new Error('the input was given up'));
    running.stdout.destroy();
  };
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  const done = running.ended.then((end) => {
    signal?.removeEventListener('abort', stop);
    const error = endError(end, subject, said());
    if (error === undefined) return;
    throw signal?.aborted ? abortedError(subject, signal.reason) : error;
  });
  // Whoever waits for it sees the error; until then it must not count as unhandled.
  done.catch(() => {});
  running.started.catch(() => {});
  running.stdin?.on('error', () => {});
  running.stdout.on('error', () => {});
  return { running, done, stop };
}

/** Runs a script to its end and gives what it wrote to stdout. */
export async function runScript(place: FilesPlace, subject: Subject, request: ScriptRequest): Promise<Buffer> {
  const script = await startScript(place, subject, request);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of script.running.stdout as AsyncIterable<Buffer>) chunks.push(chunk);
  } finally {
    await script.done;
  }
  return Buffer.concat(chunks);
}

function tail(stream: Readable): () => string {
  let kept = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-stderrKept);
  });
  stream.on('error', () => {});
  return () => kept.toString();
}
