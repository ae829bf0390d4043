import { Readable } from 'node:stream';
import { fileError, type Subject } from './errors.js';
import { nativeFiles, receiveNative } from './native.js';
import { absolutePath } from './paths.js';
import type { FilesPlace } from './place.js';
import { startScript } from './script.js';
import { scripts } from './scripts/index.js';
import type { FileRange } from './types.js';

/** Opens a file for reading; resolves when it is open, so that a missing file is an error here and not in the stream. */
export async function openFile(place: FilesPlace, subject: Subject, range: FileRange = {}): Promise<Readable> {
  const offset = checked(subject, 'offset', range.offset ?? 0);
  const length = range.length === undefined ? undefined : checked(subject, 'length', range.length);
  const path = await absolutePath(place, subject);
  const native = await nativeFiles(place);
  const read = native?.read?.bind(native);
  if (read !== undefined) return receiveNative(place, () => read(path, { offset, length }));

  const script = await startScript(place, subject, {
    text: scripts.read,
    args: [path, String(offset + 1), length === undefined ? 'all' : String(length)],
  });
  const chunks = (script.running.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const next = async () => {
    try {
      return await chunks.next();
    } catch (error) {
      await script.done;
      throw error;
    }
  };
  const first = await next();
  if (first.done === true) {
    await script.done;
    throw fileError('place-failed', subject, 'could not be read: the place answered nothing', 'Try again.');
  }
  async function* content(opened: Buffer): AsyncGenerator<Buffer> {
    let whole = false;
    try {
      // The plus sign that says that the file is open.
      if (opened.length > 1) yield opened.subarray(1);
      for (let chunk = await next(); chunk.done !== true; chunk = await next()) yield chunk.value;
      whole = true;
      await script.done;
    } finally {
      if (!whole) script.stop();
    }
  }
  return Readable.from(content(first.value), { objectMode: false });
}

export async function readFile(place: FilesPlace, subject: Subject, range?: FileRange): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of (await openFile(place, subject, range)) as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function checked(subject: Subject, name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw fileError('invalid-request', subject, `was asked for with ${name} ${value}`, `Give ${name} as a whole number of bytes, 0 or more.`);
}
