import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type { Sandbox } from '../../../src/sandbox/types.js';
import { type Animal, quote } from '../animal.js';
import { breakFiles } from '../parts.js';

type Content = string | Uint8Array | Readable;

async function whole(content: Content): Promise<Uint8Array> {
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array) return content;
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

const exists = async (sandbox: Sandbox, path: string) => (await sandbox.exec(`[ -e ${quote(path)} ]`)).exitCode === 0;

export const fileAnimals: readonly Animal[] = [
  {
    name: 'interpolates file names into shell text',
    caughtBy: 'F1.names',
    breakIt: breakFiles((_, sandbox) => ({
      write: async (path, content) => {
        await sandbox.exec(`mkdir -p "$(dirname "${path}")"; cat >"${path}"`, { stdin: await whole(content) });
      },
    })),
  },
  {
    name: 'takes a leading dash of a name for an option',
    caughtBy: 'F1.names',
    breakIt: breakFiles((files, sandbox) => ({
      remove: async (path, options) => {
        if (options?.recursive) return files.remove(path, options);
        await sandbox.exec(`cd ${quote(posix.dirname(path))} && rm ${quote(posix.basename(path))}`);
      },
    })),
  },
  {
    name: 'writes files in place',
    caughtBy: 'F1.atomic',
    breakIt: breakFiles((files, sandbox) => ({
      write: async (path, content, options) => {
        if (!(await exists(sandbox, path))) return files.write(path, content, options);
        await sandbox.exec(`cat >${quote(path)}`, { stdin: await whole(content) });
      },
    })),
  },
  {
    name: 'empties a file before it writes',
    caughtBy: 'F1.interrupted',
    breakIt: breakFiles((files, sandbox) => ({
      write: async (path, content, options) => {
        if (await exists(sandbox, path)) await files.write(path, '', options);
        return files.write(path, content, options);
      },
    })),
  },
  {
    name: 'leaves its temporary file when a write fails',
    caughtBy: 'F1.interrupted',
    breakIt: breakFiles((files) => ({
      write: async (path, content, options) => {
        try {
          await files.write(path, content, options);
        } catch (error) {
          await files.write(`${path}.tmp`, 'part');
          throw error;
        }
      },
    })),
  },
  {
    name: 'takes files for text',
    caughtBy: 'F1.bytes',
    breakIt: breakFiles((files) => ({
      read: async (path, range) => Buffer.from(Buffer.from(await files.read(path, range)).toString('utf8')),
    })),
  },
  {
    name: 'adds a newline to what it writes',
    caughtBy: 'F1.bytes',
    breakIt: breakFiles((files) => ({
      write: async (path, content, options) => files.write(path, Buffer.concat([await whole(content), Buffer.from('\n')]), options),
    })),
  },
  {
    name: 'reads one byte too many of a range',
    caughtBy: 'F1.range',
    breakIt: breakFiles((files) => ({
      read: (path, range) => files.read(path, range?.length ? { ...range, length: range.length + 1 } : range),
    })),
  },
  {
    name: 'starts relative paths at the home directory',
    caughtBy: 'F1.relative',
    breakIt: breakFiles((files) => ({
      write: (path, content, options) => files.write(/^[/~]/.test(path) ? path : `~/${path}`, content, options),
      remove: (path, options) => files.remove(/^[/~]/.test(path) ? path : `~/${path}`, options),
    })),
  },
  {
    name: 'ignores the mode of a new file',
    caughtBy: 'F1.mode',
    breakIt: breakFiles((files) => ({ write: (path, content) => files.write(path, content) })),
  },
  {
    name: 'gives a file written again the default mode',
    caughtBy: 'F1.mode',
    breakIt: breakFiles((files) => ({ write: (path, content, options) => files.write(path, content, { mode: 0o644, ...options }) })),
  },
  {
    name: 'puts a file in place of a symlink',
    caughtBy: 'F1.symlink',
    breakIt: breakFiles((files, sandbox) => ({
      write: async (path, content, options) => {
        await sandbox.exec(`[ ! -L ${quote(path)} ] || rm ${quote(path)}`);
        return files.write(path, content, options);
      },
    })),
  },
  {
    name: 'follows symlinks in stat',
    caughtBy: 'F1.stat',
    breakIt: breakFiles((files) => ({
      stat: async (path) => {
        const info = await files.stat(path);
        return info.target === undefined ? info : files.stat(posix.resolve(posix.dirname(path), info.target));
      },
    })),
  },
  {
    name: 'lists no hidden file',
    caughtBy: 'F1.list',
    breakIt: breakFiles((files) => ({ list: async (path) => (await files.list(path)).filter((info) => !info.name.startsWith('.')) })),
  },
  {
    name: 'lists a thousand entries at most',
    caughtBy: 'F1.list',
    breakIt: breakFiles((files) => ({ list: async (path) => (await files.list(path)).slice(0, 1000) })),
  },
  {
    name: 'leaves out names that are no text',
    caughtBy: 'F1.undecodable-name',
    breakIt: breakFiles((files) => ({ list: async (path) => (await files.list(path)).filter((info) => !info.name.includes('\ufffd')) })),
  },
  {
    name: 'replaces a file by a directory',
    caughtBy: 'F1.mkdir',
    breakIt: breakFiles((files) => ({
      mkdir: async (path, options) => {
        await files.remove(path).catch(() => {});
        return files.mkdir(path, options);
      },
    })),
  },
  {
    name: 'removes directories without being asked to',
    caughtBy: 'F1.remove',
    breakIt: breakFiles((files) => ({ remove: (path) => files.remove(path, { recursive: true }) })),
  },
  {
    name: 'moves into a directory as mv does',
    caughtBy: 'F1.move',
    breakIt: breakFiles((_, sandbox) => ({
      move: async (from, to) => {
        await sandbox.exec(`mkdir -p ${quote(posix.dirname(to))}; mv -f -- ${quote(from)} ${quote(to)}`);
      },
    })),
  },
  {
    name: 'throws a plain Error for a missing file',
    caughtBy: 'F4.not-found',
    breakIt: breakFiles((files) => ({
      read: (path, range) =>
        files.read(path, range).catch(() => {
          throw new Error(`cat: ${path}: No such file or directory`);
        }),
    })),
  },
  {
    name: 'takes a missing directory for an empty one',
    caughtBy: 'F4.not-found',
    breakIt: breakFiles((files) => ({ list: (path) => files.list(path).catch(() => []) })),
  },
  {
    name: 'takes a directory for an empty file',
    caughtBy: 'F4.kind',
    breakIt: breakFiles((files) => ({ read: (path, range) => files.read(path, range).catch(() => new Uint8Array()) })),
  },
  {
    name: 'reads a whole file into memory before it streams',
    caughtBy: 'F3.large-file',
    breakIt: breakFiles((files) => ({ readStream: async (path, range) => Readable.from([Buffer.from(await files.read(path, range))]) })),
  },
  {
    name: 'loses the last piece of a large file',
    caughtBy: 'F3.large-file',
    breakIt: breakFiles((files) => ({
      readStream: async (path) => {
        const { size } = await files.stat(path);
        return files.readStream(path, { length: size - (size % 65_536 || 65_536) });
      },
    })),
  },
];
