import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileError, type Subject } from './errors.js';
import type { RunningScript } from './script.js';

/**
 * Sends the chunks to the script's stdin, waits for its end and throws what went wrong, the first cause first: an error
 * of the source stops the script before it can take what has arrived for the whole.
 */
export async function feed(script: RunningScript, source: AsyncIterable<Uint8Array>): Promise<void> {
  const { stdin } = script.running;
  if (stdin === undefined) throw new TypeError('the runner gave no stdin to a script that asked for one');
  let failed = false;
  let cause: unknown;
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* source;
    } catch (error) {
      failed = true;
      cause = error;
      script.stop();
      throw error;
    }
  }
  // Only the script's end counts: one that ends early leaves a stdin that nobody drains and a source that may never go on.
  const over = new AbortController();
  pipeline(watched, stdin, { signal: over.signal }).catch(() => {});
  try {
    await script.done;
  } catch (error) {
    throw failed ? cause : error;
  } finally {
    over.abort();
  }
}

/** The content in chunks of bytes. */
export async function* chunksOf(subject: Subject, content: Uint8Array | Readable): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) {
    yield content;
    return;
  }
  for await (const chunk of content as AsyncIterable<unknown>) {
    if (typeof chunk === 'string') yield Buffer.from(chunk);
    else if (chunk instanceof Uint8Array) yield chunk;
    else throw fileError('invalid-request', subject, 'was given a stream of objects', 'Give a stream of bytes or strings.');
  }
}
