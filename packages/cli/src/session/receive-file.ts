import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Set-user-id bits of a place have no business here. */
const permissionBits = 0o777;

/** Passes bytes on and says how many there were so far. */
export function counting(onBytes: (done: number) => void): Transform {
  let done = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      done += chunk.length;
      onBytes(done);
      callback(null, chunk);
    },
  });
}

/**
 * Writes what arrives to a file: whole or not at all.
 * @returns how many bytes there were
 */
export async function receiveFile(content: Readable, path: string, mode: number, onBytes: (done: number) => void): Promise<number> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}`);
  let done = 0;
  const report = (bytes: number) => {
    done = bytes;
    onBytes(bytes);
  };
  try {
    await pipeline(content, counting(report), createWriteStream(temporary, { mode: 0o600, flags: 'wx' }));
    await chmod(temporary, mode & permissionBits);
    await rename(temporary, path);
    return done;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
