import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type DriverFiles, isPetasosError } from '../contract/index.js';
import type { FilesPlace } from './place.js';

/** The native powers of the place, where only a look tells asked for now. */
export async function nativeFiles(place: FilesPlace): Promise<DriverFiles | undefined> {
  return typeof place.driverFiles === 'function' ? place.driverFiles() : place.driverFiles;
}

interface NativeSend {
  /** Runs a step of the operation's script on the given place. */
  readonly step: (on: FilesPlace, what: 'prepare' | 'commit' | 'discard') => Promise<Buffer>;
  /** Sends everything to where the first step has said. Rejects soon after `ending` aborts. */
  readonly send: (prepared: string, ending: AbortSignal) => Promise<void>;
}

/** A driver's own way into the place, between the steps of a script. Nothing half done stays, also when the sandbox ends meanwhile. */
export function sendNative(place: FilesPlace, { step, send }: NativeSend): Promise<void> {
  return place.hold(async (ending, last) => {
    try {
      await send((await step(place, 'prepare')).toString(), ending);
      await step(place, 'commit');
    } catch (error) {
      // What is left can be a large tree, and takes as long as it takes, but for the end of the sandbox.
      const discarded = step(ending.aborted ? { ...place, runner: last } : place, 'discard').catch(() => {});
      // Nobody waits for a line that may not come back.
      if (!isPetasosError(error, 'disconnected')) await discarded;
      throw error;
    }
  });
}

/** A driver's own way out of the place. The stream fails when the sandbox ends before it. */
export function receiveNative(place: FilesPlace, open: () => Promise<Readable>): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const held = place.hold(async (ending) => {
      const { stream, over } = stoppable(await open(), ending);
      resolve(stream);
      await over;
    });
    held.catch(reject);
  });
}

/** The chunks, until `ending` aborts: then the stream fails at once, also while the next chunk does not come. */
export function stoppable(
  chunks: AsyncIterable<Uint8Array>,
  ending: AbortSignal,
): { readonly stream: Readable; readonly over: Promise<void> } {
  const stream = new PassThrough();
  // Nobody may be reading just then.
  stream.on('error', () => {});
  return { stream, over: pipeline(chunks, stream, { signal: ending }).catch(() => {}) };
}
