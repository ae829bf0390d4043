import { Readable } from 'node:stream';
import type { Engine } from '../engine/engine.js';

const blockBytes = 512;

/**
 * Makes directories that anybody may write: only the engine knows which user the image's name stands for, and there is one user in the
 * sandbox.
 */
export async function makeOpenDirectories(engine: Engine, container: string, paths: readonly string[]): Promise<void> {
  const headers = paths.map((path) => directoryHeader(`${path.slice(1)}/`, 0o1777));
  await engine.putArchive(container, '/', Readable.from([Buffer.concat([...headers, Buffer.alloc(2 * blockBytes)])]));
}

/** A tar header of a directory. Source: POSIX ustar. */
function directoryHeader(name: string, mode: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0);
  header.write(octal(mode, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(0, 11), 124);
  header.write(octal(Math.floor(Date.now() / 1000), 11), 136);
  header.write('        5', 148);
  header.write('ustar\x0000', 257);
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}
