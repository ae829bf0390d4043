import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { DriverFiles } from '../contract/index.js';
import { fileError, type Subject } from './errors.js';
import { chunksOf, feed } from './feed.js';
import { octal } from './mode.js';
import { nativeFiles, sendNative, stoppable } from './native.js';
import { absolutePath } from './paths.js';
import { type FilesPlace, temporaryName } from './place.js';
import { runScript, startScript } from './script.js';
import { scripts } from './scripts/index.js';

/** Content up to this size travels with the request. */
const inlineBytes = 256 * 1024;

/** Puts `content` in the place of the file, all or nothing. */
export async function writeFile(
  place: FilesPlace,
  subject: Subject,
  content: string | Uint8Array | Readable,
  mode: number | undefined,
): Promise<void> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (!(bytes instanceof Uint8Array) && !(Symbol.asyncIterator in Object(bytes))) {
    throw fileError('invalid-request', subject, 'was given neither text, bytes nor a stream', 'Give a string, a Uint8Array or a Readable.');
  }
  const wanted = octal(subject, mode);
  const path = await absolutePath(place, subject, { keepSlash: true });
  const small = bytes instanceof Uint8Array && bytes.length <= inlineBytes;
  // A native power costs a script before it and one after it.
  const driverFiles = small ? undefined : await nativeFiles(place);
  const native = driverFiles?.write?.bind(driverFiles);
  if (native !== undefined) return writeNative(place, subject, native, path, bytes, wanted);

  // Unguessable, so that no content can hold it: it stands after the content and proves that all of it has arrived.
  const mark = randomBytes(16).toString('hex');
  const args = ['derived', path, temporaryName(), wanted, mark];
  if (small) {
    await runScript(place, subject, { text: scripts.write, args, stdin: Buffer.concat([bytes, Buffer.from(mark)]) });
    return;
  }
  async function* marked(): AsyncGenerator<Uint8Array> {
    yield* chunksOf(subject, bytes);
    yield Buffer.from(mark);
  }
  const script = await startScript(place, subject, { text: scripts.write, args, stdin: 'stream' });
  script.running.stdout.resume();
  try {
    await feed(script, marked());
  } finally {
    if (!(bytes instanceof Uint8Array)) bytes.destroy();
  }
}

async function writeNative(
  place: FilesPlace,
  subject: Subject,
  write: NonNullable<DriverFiles['write']>,
  path: string,
  content: Uint8Array | Readable,
  mode: string,
): Promise<void> {
  const name = temporaryName();
  await sendNative(place, {
    step: (on, what) => runScript(on, subject, { text: scripts.write, args: [what, path, name, mode, ''] }),
    async send(temporary, ending) {
      const { stream } = stoppable(chunksOf(subject, content), ending);
      try {
        await write(temporary, stream, 0o600);
      } finally {
        stream.destroy();
        if (!(content instanceof Uint8Array)) content.destroy();
      }
    },
  });
}
