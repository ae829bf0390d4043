import type { Readable } from 'node:stream';
import { abortedError, type Subject } from '../errors.js';
import { nativeFiles, receiveNative } from '../native.js';
import { absolutePath } from '../paths.js';
import type { FilesPlace } from '../place.js';
import { runScript, startScript } from '../script.js';
import { scripts } from '../scripts/index.js';
import type { TransferOptions, TransferResult } from '../types.js';
import { extractTree } from './extract.js';
import { ignoredBy } from './ignored.js';
import { Tally } from './progress.js';
import { Staging } from './staging.js';

/** An archive on its way. */
interface Source {
  readonly archive: Readable;
  /** Settles when the place has sent everything; rejects with the reason when it has not. */
  readonly done: Promise<void>;
  stop(): void;
}

/** Copies the content of the subject's path to the local directory as one archive, which is not trusted. */
export async function download(place: FilesPlace, subject: Subject, local: string, options: TransferOptions): Promise<TransferResult> {
  const { signal } = options;
  const tally = new Tally('download', options.onProgress);
  const ignored = ignoredBy(options.ignore);
  const path = await absolutePath(place, subject);
  if (signal?.aborted) throw abortedError(subject, signal.reason);
  const staging = await Staging.prepare(subject, local);
  try {
    const freeBytes = await staging.freeBytes();
    // Nothing may be waited for between this and the first read: the pipe of a process that ends unread is emptied.
    const source = await open(place, subject, path, signal);
    const request = {
      subject,
      root: staging.tree,
      umask: staging.umask,
      freeBytes,
      ignored,
      outsideLinks: options.outsideLinks ?? 'refuse',
      tally,
      signal,
    } as const;
    const directories = await extractTree(request, source.archive, source.done).catch((error: unknown) => {
      source.stop();
      throw signal?.aborted ? abortedError(subject, error) : error;
    });
    await staging.commit(directories);
  } catch (error) {
    await staging.discard();
    throw error;
  }
  return tally.finish();
}

async function open(place: FilesPlace, subject: Subject, path: string, signal: AbortSignal | undefined): Promise<Source> {
  const driverFiles = await nativeFiles(place);
  const native = driverFiles?.downloadTar?.bind(driverFiles);
  if (native === undefined) {
    const script = await startScript(place, subject, { text: scripts.download, args: ['derived', path], signal });
    return { archive: script.running.stdout, done: script.done, stop: script.stop };
  }
  await runScript(place, subject, { text: scripts.download, args: ['check', path] });
  const archive = await receiveNative(place, () => native(path));
  const stop = () => void archive.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  archive.once('close', () => signal?.removeEventListener('abort', stop));
  return { archive, done: Promise.resolve(), stop };
}
