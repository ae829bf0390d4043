import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type DriverFiles, PetasosError, type PetasosErrorCode } from '@petasos/core/backend';
import type { Sandbox } from 'modal';
import type { Place } from './place.js';
import { execute, lost } from './process.js';

/** Content up to this size is held in memory; more goes through a file, from which the SDK can send a part again. */
const heldBytes = 4 * 1024 * 1024;

const codes: Readonly<Record<string, PetasosErrorCode>> = {
  SandboxFilesystemNotFoundError: 'file-not-found',
  SandboxFilesystemIsADirectoryError: 'file-is-directory',
  SandboxFilesystemNotADirectoryError: 'file-not-directory',
  SandboxFilesystemPermissionError: 'file-permission',
};

/**
 * Modal's own way to write a file: one stream that goes on where it was cut. Reading has no native way: the SDK's keeps the whole file in
 * memory and knows no range.
 */
export function nativeFiles(place: Place): DriverFiles {
  return {
    async write(target, content) {
      await place.start((sandbox) => prepare(sandbox, target));
      const { sandbox } = place;
      const { held, rest } = await gather(content);
      try {
        if (rest === undefined) await sandbox.filesystem.writeBytes(held, target);
        else await spooled(held, rest, (file) => sandbox.filesystem.copyFromLocal(file, target));
      } catch (error) {
        throw await fileProblem(sandbox, target, error);
      }
    },
  };
}

/** The file is there, empty and private, before any content is in it: the SDK has no mode. */
async function prepare(sandbox: Sandbox, target: string): Promise<void> {
  const child = await execute(sandbox, ['/bin/sh', '-c', 'umask 077; set -C; : >"$1"', 'petasos-write', target]);
  if ((await child.wait()) === 0) return;
  throw new PetasosError('file-permission', `modal: ${target} cannot be made`, {
    backend: 'modal',
    operation: 'files.write',
    data: { path: target },
    remedy: 'Check the permissions of its directory, and whether the disk is full.',
  });
}

async function gather(content: Readable): Promise<{ readonly held: Buffer; readonly rest: AsyncIterator<Buffer> | undefined }> {
  const chunks: Buffer[] = [];
  let size = 0;
  const source = (content as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (let next = await source.next(); !next.done; next = await source.next()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > heldBytes) return { held: Buffer.concat(chunks), rest: source };
  }
  return { held: Buffer.concat(chunks), rest: undefined };
}

async function spooled(held: Buffer, rest: AsyncIterator<Buffer>, send: (file: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'petasos-modal-'));
  try {
    const file = path.join(directory, randomBytes(6).toString('hex'));
    async function* all(): AsyncGenerator<Buffer> {
      yield held;
      for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
    }
    await pipeline(Readable.from(all()), createWriteStream(file, { mode: 0o600, flags: 'wx' }));
    await send(file);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function fileProblem(sandbox: Sandbox, target: string, error: unknown): Promise<PetasosError> {
  const code = error instanceof Error ? codes[error.name] : undefined;
  if (code === undefined) return lost(sandbox, error, 'files.write', `${target} cannot be written`);
  return new PetasosError(code, `modal: ${target} cannot be written: ${(error as Error).message}`, {
    backend: 'modal',
    operation: 'files.write',
    data: { path: target },
    remedy: 'Choose another path, or change what is there.',
    cause: error,
  });
}
