import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdir, readdir, readlink, rm, rmdir, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ByteLog } from '../core/byte-log.js';
import type { FileTree } from '../core/tree.js';
import type { ExecEnd, ExecTarget } from './exec.js';

/** Where clients believe the service's file tool to be; there is none, the emulator does its work. */
export const fileToolPath = '/__modal/.bin/modal-sandbox-fs-tools';

type Request = Readonly<Record<string, { readonly path: string; readonly parents?: boolean; readonly recursive?: boolean }>>;

const kinds: Readonly<Record<string, string>> = {
  ENOENT: 'NotFound',
  EISDIR: 'IsDirectory',
  ENOTDIR: 'NotDirectory',
  EEXIST: 'PathAlreadyExists',
  ENOTEMPTY: 'DirectoryNotEmpty',
  EACCES: 'PermissionDenied',
};

/** Does what the argument asks for, with the tool's streams and exit status. `logs`: path below which long output lies. */
export function fileTool(tree: FileTree, argument: string, logs: string): ExecTarget {
  const stdin = new PassThrough();
  const stdout = new ByteLog(`${logs}.out`);
  const stderr = new ByteLog(`${logs}.err`);
  const [[operation = '', request] = []] = Object.entries(JSON.parse(argument) as Request);
  const work = async (): Promise<ExecEnd> => {
    try {
      if (request === undefined) throw Object.assign(new Error(`unknown operation ${operation}`), { code: 'EINVAL' });
      await operate(operation, tree, request, stdin, stdout);
      return { code: 0 };
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      stderr.append(Buffer.from(JSON.stringify({ error_kind: kinds[code] ?? 'Other', message })));
      return { code: 1 };
    } finally {
      stdout.end();
      stderr.end();
      stdin.destroy();
    }
  };
  return { stdin, stdout, stderr, exited: work(), kill: () => stdin.destroy() };
}

async function operate(operation: string, tree: FileTree, request: Request[string], stdin: PassThrough, stdout: ByteLog): Promise<void> {
  const file = tree.locate(request.path, operation !== 'Stat' && operation !== 'Remove');
  switch (operation) {
    case 'ReadFile':
      for await (const chunk of createReadStream(file)) stdout.append(chunk as Buffer);
      return;
    case 'WriteFile':
      await mkdir(path.dirname(file), { recursive: true });
      return pipeline(stdin, createWriteStream(file));
    case 'ListFiles': {
      const names = (await readdir(file)).sort();
      const entries = await Promise.all(names.map((name) => entry(tree, path.posix.join(request.path, name))));
      stdout.append(Buffer.from(JSON.stringify(entries)));
      return;
    }
    case 'Stat':
      stdout.append(Buffer.from(JSON.stringify(await entry(tree, request.path))));
      return;
    case 'MakeDirectory':
      await mkdir(file, { recursive: request.parents === true });
      return;
    case 'Remove':
      if (request.recursive) return rm(file, { recursive: true });
      return (await lstat(file)).isDirectory() ? rmdir(file) : unlink(file);
    default:
      throw Object.assign(new Error(`unknown operation ${operation}`), { code: 'EINVAL' });
  }
}

async function entry(tree: FileTree, inside: string): Promise<object> {
  const file = tree.locate(inside, false);
  const found = await lstat(file);
  const link = found.isSymbolicLink();
  const size = link ? found.size : (await stat(file)).size;
  return {
    name: path.posix.basename(inside),
    path: inside,
    type: link ? 'symlink' : found.isDirectory() ? 'directory' : 'file',
    size,
    mode: found.mode,
    permissions: (found.mode & 0o7777).toString(8).padStart(4, '0'),
    owner: String(found.uid),
    group: String(found.gid),
    modified_time: found.mtimeMs / 1000,
    ...(link ? { symlink_target: await readlink(file) } : {}),
  };
}
