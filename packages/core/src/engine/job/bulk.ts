import type { Readable } from 'node:stream';
import type { DriverFiles } from '../../contract/index.js';
import type { Operator } from '../operator.js';

/** Names of a stream's files, each with the offset of its first byte, then the size of the newest. */
const listScript = 'cd -- "$1" && set -- "$2".[0-9]* && for f; do :; done && echo "$* $(($(wc -c <"$f")))"';

export interface BulkSettings {
  readonly operator: Operator;
  readonly directory: string;
  readonly read: NonNullable<DriverFiles['read']>;
}

interface Piece {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

/**
 * What a command has written beyond `from`, through the place's own way of reading files: for output that is too much for answers of
 * operations, which carry it encoded. Ends with what was there when it was asked for.
 */
export async function* readBulk({ operator, directory, read }: BulkSettings, stream: 'out' | 'err', from: number): AsyncGenerator<Buffer> {
  const { exitCode, stdout } = await operator.operate(listScript, [directory, stream]);
  if (exitCode !== 0) return;
  for (const { path, offset, length } of piecesBeyond(stdout.toString('latin1'), directory, from)) {
    const content: Readable = await read(path, { offset, length });
    for await (const chunk of content as AsyncIterable<Buffer>) yield chunk;
  }
}

/** A file ends where the next begins; what is read of it has not changed since. */
export function piecesBeyond(listing: string, directory: string, from: number): readonly Piece[] {
  const words = listing.trim().split(' ');
  const newest = Number(words.pop());
  const starts = words.map((name) => Number(name.slice(name.indexOf('.') + 1)));
  const pieces = words.map((name, at): Piece => {
    const start = starts[at] ?? 0;
    const end = starts[at + 1] ?? start + newest;
    const offset = Math.max(0, from - start);
    return { path: `${directory}/${name}`, offset, length: end - start - offset };
  });
  return pieces.filter(({ length }) => length > 0);
}
