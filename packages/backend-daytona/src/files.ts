import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type DriverFiles, isPetasosError, PetasosError, type PetasosErrorCode, withRetries } from '@petasos/core/backend';
import { type Calls, callsDirectory } from './calls.js';
import type { Sandbox } from './client.js';
import { asPetasosError, judge } from './errors.js';

/** What fits into the answer of one command comes with it. */
const inlineBytes = 256 * 1024;
/** Content up to this size is kept until it has arrived, so that it can be sent again. */
const repeatableBytes = 4 * 1024 * 1024;
const transferSeconds = 24 * 3600;

/**
 * Opens a file: prints its size and, when the wanted part is small, that part as base64. A large one gets a second name, which no
 * character of a path can break on its way through a form.
 */
const openScript = `path=$1 offset=$2 length=$3 link=$4 inline=$5
[ -d "$path" ] && exit 82
if ! [ -e "$path" ]; then
  above=$path
  while [ -n "$above" ] && ! [ -e "$above" ]; do above=\${above%/*}; done
  [ -z "$above" ] || [ -d "$above" ] || exit 83
  exit 81
fi
[ -r "$path" ] || exit 84
size=$(wc -c <"$path") || exit 84
left=$((size - offset))
[ "$left" -gt 0 ] || left=0
[ "$length" = all ] || [ "$length" -ge "$left" ] || left=$length
printf '%s %s\\n' "$size" "$left"
if [ "$left" -le "$inline" ]; then
  printf 'inline\\n'
  tail -c "+$((offset + 1))" <"$path" | head -c "$left" | base64
else
  case $path in /*) ;; *) path=$PWD/$path ;; esac
  ln -s -- "$path" "$link" || exit 85
  printf 'link\\n'
fi`;

/** Puts what was uploaded where it belongs, once all of it has arrived. */
const placeScript = `part=$1 size=$2 target=$3 mode=$4
[ "$(wc -c <"$part" 2>/dev/null)" -eq "$size" ] || { rm -f -- "$part"; exit 90; }
chmod "$mode" "$part" && mv -f -- "$part" "$target" && exit 0
rm -f -- "$part"
exit 85`;

const unpackScript = `part=$1 size=$2 target=$3
[ "$(wc -c <"$part" 2>/dev/null)" -eq "$size" ] || { rm -f -- "$part"; exit 90; }
unset TAR_OPTIONS
(cd -P "$target" && umask 0 && exec tar -xpof -) <"$part"
s=$?
rm -f -- "$part"
[ "$s" = 0 ] || exit 85`;

const packScript = `part=$1 source=$2
unset TAR_OPTIONS
case $(tar --version 2>/dev/null) in *'GNU tar'*) gnu=1 ;; *) gnu= ;; esac
(umask 077 && cd -P "$source" && tar \${gnu:+--hard-dereference} -cf "$part" .)
s=$?
[ "$s" = 0 ] || { [ -n "$gnu" ] && [ "$s" = 1 ]; } || { rm -f -- "$part"; exit 85; }
wc -c <"$part"`;

const meanings: Readonly<Record<number, readonly [PetasosErrorCode, string]>> = {
  81: ['file-not-found', 'does not exist'],
  82: ['file-is-directory', 'is a directory'],
  83: ['file-not-directory', 'is below a file'],
  84: ['file-permission', 'may not be read'],
  85: ['no-space', 'has no room, or what stands there is in the way'],
  90: ['disconnected', 'did not arrive whole'],
};

/** Files through the toolbox's own transfers. Paths of every kind go through commands alone; transfers see names of ours. */
export function createFiles(sandbox: Sandbox, calls: Calls, name: string): Required<DriverFiles> {
  const onTheWay = () => `${callsDirectory}/${randomUUID()}.part`;
  const run = async (operation: string, path: string, script: string, ...args: readonly string[]): Promise<string> => {
    const { exitCode, output } = await calls.run(['/bin/sh', '-c', script, 'petasos-file', ...args]);
    if (exitCode === 0) return output;
    const [code, what] = meanings[exitCode ?? -1] ?? ['place-failed', `could not be handled: status ${exitCode}`];
    throw new PetasosError(code, `${JSON.stringify(path)} ${what} in the sandbox ${name} of daytona`, {
      backend: 'daytona',
      operation,
      retryable: code === 'disconnected',
      data: { path, ...(output.trim() !== '' && { detail: output.trim().slice(0, 500) }) },
    });
  };
  const forget = (part: string) => calls.run(['/bin/rm', '-f', '--', part]).catch(() => {});

  const send = async (operation: string, content: Readable): Promise<{ readonly part: string; readonly bytes: number }> => {
    const part = onTheWay();
    const upload = (source: Readable) => sandbox.fs.uploadFileStream(source, part, { timeout: transferSeconds });
    try {
      const { head, rest } = await beginning(content, repeatableBytes);
      if (rest === undefined) {
        // Sending the same bytes to the same name twice does no harm.
        const settings = { backend: 'daytona', operation, judge };
        await withRetries(() => upload(Readable.from([head], { objectMode: false })), settings);
        return { part, bytes: head.length };
      }
      let bytes = 0;
      async function* all(): AsyncGenerator<Buffer> {
        for await (const chunk of prepend(head, rest as AsyncIterator<Buffer>)) {
          bytes += chunk.length;
          yield chunk;
        }
      }
      await upload(Readable.from(all(), { objectMode: false }));
      return { part, bytes };
    } catch (error) {
      content.destroy();
      void forget(part);
      throw content.errored ?? asPetasosError(error, { operation, sandbox: name });
    }
  };

  /** A download that ends early is an error, whatever the stream says. */
  const receive = async (operation: string, link: string, bytes: number, skip = 0, length = bytes - skip): Promise<Readable> => {
    const transfer = new AbortController();
    const download = sandbox.fs.downloadFileStream(link, { timeout: transferSeconds, signal: transfer.signal });
    const source = await download.catch((error: unknown) => {
      void forget(link);
      throw asPetasosError(error, { operation, sandbox: name });
    });
    async function* whole(): AsyncGenerator<Buffer> {
      let [at, left] = [0, length];
      let complete = false;
      try {
        for await (const chunk of source as AsyncIterable<Buffer>) {
          const from = Math.max(0, Math.min(chunk.length, skip - at));
          const part = chunk.subarray(from, from + left);
          at += chunk.length;
          left -= part.length;
          if (part.length > 0) yield part;
          if (left === 0 && at !== bytes) return;
        }
        if (left > 0) throw cutOff(operation, name);
        complete = true;
      } catch (cause) {
        // However the SDK words it: the transfer had begun.
        throw isPetasosError(cause) ? cause : cutOff(operation, name, cause);
      } finally {
        source.destroy();
        // Destroying what the SDK hands out leaves its connection open and paused, for as long as the process lives.
        if (!complete) transfer.abort();
        void forget(link);
      }
    }
    return Readable.from(whole(), { objectMode: false });
  };

  return {
    async read(path, { offset, length }) {
      const link = onTheWay();
      const said = await run(
        'files.read',
        path,
        openScript,
        path,
        String(offset),
        length === undefined ? 'all' : String(length),
        link,
        String(inlineBytes),
      );
      const [sizes = '', kind, ...body] = said.split('\n');
      const [size = 0, wanted = 0] = sizes.trim().split(/\s+/).map(Number);
      if (kind === 'link') return receive('files.read', link, size, offset, wanted);
      const bytes = Buffer.from(body.join(''), 'base64');
      if (bytes.length !== wanted) throw cutOff('files.read', name);
      return Readable.from([bytes], { objectMode: false });
    },
    async write(path, content, mode) {
      const { part, bytes } = await send('files.write', content);
      await run('files.write', path, placeScript, part, String(bytes), path, mode.toString(8));
    },
    async uploadTar(path, archive) {
      const { part, bytes } = await send('files.upload', archive);
      await run('files.upload', path, unpackScript, part, String(bytes), path);
    },
    async downloadTar(path) {
      const part = onTheWay();
      const size = Number((await run('files.download', path, packScript, part, path)).trim());
      return receive('files.download', part, size);
    },
  };
}

/** Reads until `limit` is passed. Without `rest` that was all. */
async function beginning(
  content: Readable,
  limit: number,
): Promise<{ readonly head: Buffer; readonly rest: AsyncIterator<Buffer> | undefined }> {
  const rest = (content as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let size = 0;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > limit) return { head: Buffer.concat(chunks), rest };
  }
  return { head: Buffer.concat(chunks), rest: undefined };
}

async function* prepend(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

function cutOff(operation: string, name: string, cause?: unknown): PetasosError {
  return new PetasosError('disconnected', `daytona: a file of the sandbox ${name} ended before its end`, {
    backend: 'daytona',
    operation,
    retryable: true,
    remedy: 'Read it again.',
    cause,
  });
}
