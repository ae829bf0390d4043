import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { fail } from './expect.js';

/** Reads a stream to its end. Gives the number of bytes and their SHA-256. */
export async function consume(stream: Readable): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) fail('a stream should give bytes');
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
