import { Readable } from 'node:stream';
import { type DriverFiles, isPetasosError, PetasosError, type PetasosErrorCode } from '@petasos/core/backend';
import { type SftpSession, sftpStatus } from './sftp-session.js';

/** Bytes of one request: what every server takes. */
const blockBytes = 32 * 1024;
/** Requests that are on their way at a time, so that a distant server is kept busy: 2 MiB. */
const window = 64;

/** Files through SFTP. `session` gives one that works, a new one after a connection was lost. */
export function sftpFiles(session: () => Promise<SftpSession>): Required<Pick<DriverFiles, 'read' | 'write'>> {
  return {
    async read(path, { offset, length = Number.POSITIVE_INFINITY }) {
      const sftp = await session();
      const handle = await typed(sftp, path, 'read', openHandle(sftp, path, 'r'));
      const { mode, size } = await typed(
        sftp,
        path,
        'read',
        sftp.call<{ mode: number; size: number }>((one, done) => one.fstat(handle, done)),
      );
      if (isDirectory(mode)) {
        await closeHandle(sftp, handle);
        throw fileError(path, 'read', 'file-is-directory', 'is a directory', 'Name a file, or download the directory.');
      }
      // What lies about its size, as files of /proc do, is read block after block.
      const ahead = size === 0 ? 1 : window;
      return Readable.from(blocks(sftp, path, handle, offset, length, ahead), { objectMode: false });
    },

    async write(path, content, mode) {
      const sftp = await session();
      const handle = await typed(sftp, path, 'write', openHandle(sftp, path, 'wx', mode));
      try {
        await typed(sftp, path, 'write', writeAll(sftp, handle, content));
      } finally {
        await closeHandle(sftp, handle);
      }
    },
  };
}

function openHandle(sftp: SftpSession, path: string, flags: 'r' | 'wx', mode = 0o600): Promise<Buffer> {
  return sftp.call<Buffer>((one, done) => one.open(path, flags, { mode }, done));
}

async function closeHandle(sftp: SftpSession, handle: Buffer): Promise<void> {
  await sftp.call<void>((one, done) => one.close(handle, (error) => done(error, undefined))).catch(() => {});
}

/** Reads ahead, in order. A block that comes short is followed by its rest, before anything behind it is handed on. */
async function* blocks(
  sftp: SftpSession,
  path: string,
  handle: Buffer,
  offset: number,
  length: number,
  ahead: number,
): AsyncGenerator<Buffer> {
  const end = offset + length;
  const coming: { readonly at: number; readonly bytes: number; readonly block: Promise<Buffer> }[] = [];
  let next = offset;
  const ask = () => {
    while (coming.length < ahead && next < end) {
      const bytes = Math.min(blockBytes, end - next);
      const block = readBlock(sftp, handle, next, bytes);
      block.catch(() => {});
      coming.push({ at: next, bytes, block });
      next += bytes;
    }
  };
  try {
    for (ask(); ; ask()) {
      const first = coming.shift();
      if (first === undefined) return;
      for (let got = 0; got < first.bytes; ) {
        const chunk = await typed(sftp, path, 'read', got === 0 ? first.block : readBlock(sftp, handle, first.at + got, first.bytes - got));
        if (chunk.length === 0) return;
        got += chunk.length;
        yield chunk;
      }
    }
  } finally {
    await closeHandle(sftp, handle);
  }
}

/** Empty at the end of the file. */
async function readBlock(sftp: SftpSession, handle: Buffer, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  try {
    const read = await sftp.call<number>((one, done) => one.read(handle, buffer, 0, bytes, at, done));
    return buffer.subarray(0, read);
  } catch (error) {
    if ((error as { code?: unknown }).code === sftpStatus.endOfFile) return buffer.subarray(0, 0);
    throw error;
  }
}

async function writeAll(sftp: SftpSession, handle: Buffer, content: Readable): Promise<void> {
  const going = new Set<Promise<void>>();
  let failure: unknown;
  let at = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    for (let from = 0; from < chunk.length; from += blockBytes) {
      const part = chunk.subarray(from, from + blockBytes);
      const position = at;
      const block = sftp
        .call<void>((one, done) => one.write(handle, part, 0, part.length, position, (error) => done(error, undefined)))
        .catch((error: unknown) => {
          failure ??= error;
        })
        .finally(() => going.delete(block));
      going.add(block);
      at += part.length;
      if (going.size >= window) await Promise.race(going);
      if (failure !== undefined) throw failure;
    }
  }
  await Promise.all(going);
  if (failure !== undefined) throw failure;
}

/** The protocol has no word for a full disk; a server that can be asked says how much is left. */
async function isFull(sftp: SftpSession, path: string): Promise<boolean> {
  const info = await sftp
    .call<{ f_bavail: number; f_frsize: number }>((one, done) => one.ext_openssh_statvfs(parentOf(path), done))
    .catch(() => undefined);
  return info !== undefined && Number(info.f_bavail) * Number(info.f_frsize) < blockBytes;
}

/** Whether the path leads below a file: the protocol has no word for that either. */
async function isBelowFile(sftp: SftpSession, path: string): Promise<boolean> {
  for (let parent = parentOf(path); parent !== '/'; parent = parentOf(parent)) {
    const info = await sftp.call<{ mode: number }>((one, done) => one.stat(parent, done)).catch(() => undefined);
    if (info !== undefined) return !isDirectory(info.mode);
  }
  return false;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function isDirectory(mode: number): boolean {
  return (mode & 0o170000) === 0o040000;
}

async function typed<T>(sftp: SftpSession, path: string, operation: 'read' | 'write', work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (isPetasosError(error) || typeof code !== 'number') throw error;
    const refuse = (meaning: PetasosErrorCode, what: string, remedy: string) => fileError(path, operation, meaning, what, remedy, error);
    if (code === sftpStatus.permissionDenied) {
      throw refuse('file-permission', 'may not be accessed by this user', 'Change its permissions, or log in as another user.');
    }
    if (code === sftpStatus.noSuchFile) {
      if (await isBelowFile(sftp, path)) throw refuse('file-not-directory', 'lies below something that is no directory', 'Check the path.');
      throw refuse('file-not-found', 'does not exist', 'Check the path.');
    }
    if (operation === 'write' && (await isFull(sftp, path))) throw refuse('no-space', 'does not fit: the disk is full', 'Make room there.');
    throw refuse(
      'place-failed',
      `could not be ${operation === 'read' ? 'read' : 'written'}`,
      'Look at the disk and the log of the server.',
    );
  }
}

function fileError(path: string, operation: string, code: PetasosErrorCode, what: string, remedy: string, cause?: unknown): PetasosError {
  const details = { backend: 'ssh', operation: `files.${operation}`, data: { path }, remedy };
  return new PetasosError(code, `${JSON.stringify(path)} ${what}`, cause === undefined ? details : { ...details, cause });
}
