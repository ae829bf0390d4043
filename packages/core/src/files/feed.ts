import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileError, type Subject } from './errors.js';
import type { RunningScript } from './script.js';

/** What goes into a file. */
export type Content = string | Uint8Array | Readable;

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
  // A script that ends early leaves a stdin that nobody drains: the pipeline must not wait for it.
  const over = new AbortController();
  const fed = pipeline(watched, stdin, { signal: over.signal }).catch(() => {});
  const ended = script.done.finally(() => over.abort());
  ended.catch(() => {});
  await fed;
  const end = await ended.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (failed) throw cause;
  if (end !== undefined) throw end.error;
}

/** The content in chunks of bytes. */
export async function* chunksOf(subject: Subject, content: Content): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string') yield Buffer.from(content);
  else if (content instanceof Uint8Array) yield content;
  else {
    for await (const chunk of content as AsyncIterable<unknown>) {
      if (typeof chunk === 'string') yield Buffer.from(chunk);
      else if (chunk instanceof Uint8Array) yield chunk;
      else throw fileError('invalid-request', subject, 'was given a stream of objects', 'Give a stream of bytes or strings.');
    }
  }
}
