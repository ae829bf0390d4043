import { opendir } from 'node:fs/promises';
import type { DriverFiles } from '../../contract/index.js';
import { abortedError, type Subject } from '../errors.js';
import { feed } from '../feed.js';
import { nativeFiles, sendNative, stoppable } from '../native.js';
import { absolutePath } from '../paths.js';
import { type FilesPlace, temporaryName } from '../place.js';
import { runScript, startScript } from '../script.js';
import { scripts } from '../scripts/index.js';
import type { TransferOptions, TransferResult } from '../types.js';
import { ignoredBy } from './ignored.js';
import { localError } from './local.js';
import { type PackRequest, packTree } from './pack.js';
import { Tally } from './progress.js';

/** Copies the content of the local directory to the subject's path as one archive. */
export async function upload(place: FilesPlace, subject: Subject, local: string, options: TransferOptions): Promise<TransferResult> {
  const { signal } = options;
  await requireDirectory(subject, local);
  const tally = new Tally('upload', options.onProgress);
  const end = temporaryName();
  const path = await absolutePath(place, subject);
  const pack = (owner: PackRequest['owner']) => packTree({ subject, root: local, ignored: ignoredBy(options.ignore), owner, tally, end });
  const driverFiles = await nativeFiles(place);
  const native = driverFiles?.uploadTar?.bind(driverFiles);
  if (native !== undefined) {
    await uploadNative(place, subject, native, { path, end, pack, signal });
    return tally.finish();
  }
  const script = await startScript(place, subject, {
    text: scripts.upload,
    args: ['derived', path, temporaryName(), end],
    stdin: 'stream',
    signal,
  });
  script.running.stdout.resume();
  // The place's tar is told to make everything the user's own, whatever the archive says.
  await feed(script, pack({ uid: 0, gid: 0 }));
  return tally.finish();
}

/** Before anything is made in the place. */
async function requireDirectory(subject: Subject, local: string): Promise<void> {
  try {
    await (await opendir(local)).close();
  } catch (error) {
    throw localError(subject, local, error);
  }
}

interface NativeUpload {
  readonly path: string;
  readonly end: string;
  readonly pack: (owner: PackRequest['owner']) => AsyncIterable<Buffer>;
  readonly signal: AbortSignal | undefined;
}

async function uploadNative(
  place: FilesPlace,
  subject: Subject,
  unpack: NonNullable<DriverFiles['uploadTar']>,
  { path, end, pack, signal }: NativeUpload,
): Promise<void> {
  const name = temporaryName();
  if (signal?.aborted) throw abortedError(subject, signal.reason);
  await sendNative(place, {
    step: (on, what) => runScript(on, subject, { text: scripts.upload, args: [what, path, name, end] }),
    async send(prepared, ending) {
      const [, uid, gid, stage] = /^(\d+) (\d+) (.*)$/s.exec(prepared) ?? [];
      const entries = pack({ uid: Number(uid), gid: Number(gid) });
      const { stream: archive } = stoppable(entries, signal === undefined ? ending : AbortSignal.any([signal, ending]));
      try {
        await unpack(stage as string, archive);
        if (signal?.aborted) throw signal.reason;
      } catch (error) {
        throw signal?.aborted ? abortedError(subject, error) : (archive.errored ?? error);
      } finally {
        archive.destroy();
      }
    },
  });
}
