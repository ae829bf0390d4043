import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { type DriverFiles, isPetasosError, PetasosError, type PetasosErrorCode } from '@petasos/core/backend';
import type { VercelCalls } from './calls.js';
import type { VercelPlace } from './place.js';

/** Up to this size the content comes with the look at the file. */
const smallBytes = 256 * 1024;
/** How many times what is wanted may be read and thrown away before it, instead of asking for it in pieces. */
const wasteAtMost = 4;
/** The SDK keeps what it writes in memory, and once more compressed. */
const partBytes = 4 * 1024 * 1024;

/** Prints the size of $1, and its content from $2 on, at most $3 bytes, as base64 where it is no more than $4. */
const lookScript = `if ! [ -e "$1" ]; then
  p=\${1%/*}
  while [ -n "$p" ]; do
    [ ! -e "$p" ] || [ -d "$p" ] || exit 47
    [ ! -d "$p" ] || [ -x "$p" ] || exit 46
    p=\${p%/*}
  done
  exit 44
fi
[ ! -d "$1" ] || exit 45
[ -r "$1" ] || exit 46
n=$(wc -c <"$1") || exit 46
n=$((n - $2))
[ "$n" -ge 0 ] || n=0
[ -z "$3" ] || [ "$n" -le "$3" ] || n=$3
echo "$n"
[ "$n" -gt "$4" ] || tail -c "+$(($2 + 1))" -- "$1" | head -c "$n" | base64`;

const packScript = `cd -P "$1/" || exit 1
unset TAR_OPTIONS
case $(tar --version 2>/dev/null) in *'GNU tar'*) gnu=1 ;; *) gnu= ;; esac
f=$(umask 077; mktemp /tmp/.petasos-tar.XXXXXX) || exit 1
tar \${gnu:+--hard-dereference} -cf "$f" . 2>/dev/null
s=$?
# GNU tar says 1 when a file changed while it was read: the archive is whole.
[ $s = 0 ] || { [ -n "$gnu" ] && [ $s = 1 ]; } || { rm -f "$f"; exit 1; }
echo "$(($(wc -c <"$f"))) $f"`;

const failures: Readonly<Record<number, readonly [PetasosErrorCode, string]>> = {
  44: ['file-not-found', 'does not exist'],
  45: ['file-is-directory', 'is a directory'],
  46: ['file-permission', 'cannot be read'],
  47: ['file-not-directory', 'lies below something that is no directory'],
};

/** Files over the API's own requests: large ones as one stream. */
export function vercelFiles(place: VercelPlace, calls: VercelCalls): DriverFiles {
  /**
   * `length` bytes of a file from `offset`. An answer that ends early is an error, unless the file, when asked, is shorter. The API knows no
   * ranges.
   */
  const stream = async (path: string, offset: number, length: number, shorter: 'cut' | 'ask' = 'cut'): Promise<Readable> => {
    const source = await place
      .use('files.read', (session) => session.readFile({ path }))
      .catch(async (error: unknown) => {
        // The service does not say why it cannot be read.
        if (isPetasosError(error, 'place-failed')) await look(path, offset, 1);
        throw error;
      });
    if (source === null) {
      await look(path, offset, 1);
      throw failure(path, 44);
    }
    async function* counted(from: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      let skip = offset;
      let left = length;
      try {
        for await (const chunk of from) {
          const part = chunk.subarray(skip, skip + left);
          skip -= Math.min(skip, chunk.length);
          left -= part.length;
          if (part.length > 0) yield part;
          if (left <= 0) return;
        }
      } catch (cause) {
        throw cut(path, cause);
      }
      if (shorter === 'cut' || (await look(path, offset + length - left, 1)).bytes > 0) throw cut(path, undefined);
    }
    return Readable.from(counted(source as AsyncIterable<Buffer>), { objectMode: false });
  };

  const look = async (path: string, offset: number, length: number | undefined) => {
    const args = [path, String(offset), length === undefined ? '' : String(length), String(smallBytes)];
    const { exitCode, output } = await calls.run(['/bin/sh', '-c', lookScript, 'look', ...args]);
    if (exitCode !== 0) throw failure(path, exitCode ?? 0);
    const end = output.indexOf('\n');
    return { bytes: Number(output.slice(0, end)), content: Buffer.from(output.slice(end + 1), 'base64') };
  };

  return {
    async read(path, { offset, length }) {
      // Whoever asks for much of a file knows that it is there: the look comes only if it was not.
      if (length !== undefined && length > smallBytes && offset <= wasteAtMost * length) return stream(path, offset, length, 'ask');
      const first = await look(path, offset, length);
      if (first.bytes <= smallBytes) return Readable.from([first.content], { objectMode: false });
      if (offset <= wasteAtMost * first.bytes) return stream(path, offset, first.bytes);
      async function* pieces(): AsyncGenerator<Buffer> {
        for (let done = 0; done < first.bytes; ) {
          const { content } = await look(path, offset + done, Math.min(smallBytes, first.bytes - done));
          if (content.length === 0) throw cut(path, undefined);
          done += content.length;
          yield content;
        }
      }
      return Readable.from(pieces(), { objectMode: false });
    },

    async write(path, content, mode) {
      let written = false;
      for await (const part of partsOf(content)) {
        const target = written ? `/tmp/.petasos-part-${randomBytes(8).toString('hex')}` : path;
        await place.use('files.write', (session) => session.writeFiles([{ path: target, content: part, mode }]));
        if (written) await append(calls, target, path);
        written = true;
      }
    },

    async downloadTar(path) {
      const { exitCode, output } = await calls.run(['/bin/sh', '-c', packScript, 'pack', path]);
      if (exitCode !== 0) throw failure(path, 46);
      const [bytes = '', file = ''] = output.trimEnd().split(' ');
      const archive = await stream(file, 0, Number(bytes));
      archive.once('close', () => void calls.run(['/bin/rm', '-f', '--', file]).catch(() => {}));
      return archive;
    },
  };
}

async function append(calls: VercelCalls, part: string, path: string): Promise<void> {
  const { exitCode } = await calls.run(['/bin/sh', '-c', 'cat <"$1" >>"$2" && rm -f "$1"', 'append', part, path]);
  if (exitCode === 0) return;
  throw new PetasosError('no-space', `${JSON.stringify(path)} cannot be written to its end`, {
    backend: 'vercel',
    operation: 'files.write',
    data: { path },
    remedy: 'Make room in the sandbox.',
  });
}

/** At least one, so that empty content makes an empty file. */
async function* partsOf(content: Readable): AsyncGenerator<Buffer> {
  let kept: Buffer[] = [];
  let size = 0;
  let any = false;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    // A chunk may be a whole file.
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + partBytes - size);
      at += piece.length;
      size += piece.length;
      kept.push(piece);
      if (size < partBytes) continue;
      yield Buffer.concat(kept);
      kept = [];
      size = 0;
      any = true;
    }
  }
  if (size > 0 || !any) yield Buffer.concat(kept);
}

function failure(path: string, status: number): PetasosError {
  const [code, what] = failures[status] ?? ['place-failed', `cannot be read (status ${status})`];
  return new PetasosError(code, `${JSON.stringify(path)} ${what}`, { backend: 'vercel', operation: 'files.read', data: { path } });
}

function cut(path: string, cause: unknown): PetasosError {
  return new PetasosError('disconnected', `the content of ${JSON.stringify(path)} did not arrive whole`, {
    backend: 'vercel',
    operation: 'files.read',
    retryable: true,
    data: { path },
    remedy: 'Read it again.',
    cause,
  });
}
