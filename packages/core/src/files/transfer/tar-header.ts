/** What stands before an entry's content in an archive. */
export interface TarHeader {
  readonly type: 'file' | 'directory' | 'symlink';
  /** Relative, as bytes: a name need not be UTF-8. A directory's ends with a slash. */
  readonly name: Buffer;
  readonly target?: Buffer | undefined;
  readonly mode: number;
  readonly size: number;
  /** Whole seconds since 1970. */
  readonly modifiedAt: number;
}

export interface TarOwner {
  readonly uid: number;
  readonly gid: number;
}

export const blockSize = 512;
const nameField = 100;
const flags = { file: '0', directory: '5', symlink: '2', longName: 'L', longTarget: 'K' } as const;

/**
 * An entry's header in the GNU format, which GNU tar, busybox, toybox and bsdtar all read. The newer pax format is no
 * choice: busybox passes over its records, and then every long or non-ASCII name is lost.
 */
export function encodeHeader(header: TarHeader, owner: TarOwner): Buffer {
  const blocks: Buffer[] = [];
  if (header.target !== undefined && header.target.length > nameField) blocks.push(...longRecord(flags.longTarget, header.target));
  if (header.name.length > nameField) blocks.push(...longRecord(flags.longName, header.name));
  blocks.push(block(flags[header.type], header.name, header.target, header.mode, header.size, header.modifiedAt, owner));
  return blocks.length === 1 ? (blocks[0] as Buffer) : Buffer.concat(blocks);
}

/** How many bytes fill up the last block of a content of `size` bytes. */
export function paddingAfter(size: number): number {
  return (blockSize - (size % blockSize)) % blockSize;
}

function longRecord(flag: string, value: Buffer): Buffer[] {
  const size = value.length + 1;
  return [
    block(flag, Buffer.from('././@LongLink'), undefined, 0, size, 0, { uid: 0, gid: 0 }),
    value,
    Buffer.alloc(1 + paddingAfter(size)),
  ];
}

function block(
  flag: string,
  name: Buffer,
  target: Buffer | undefined,
  mode: number,
  size: number,
  modifiedAt: number,
  owner: TarOwner,
): Buffer {
  const bytes = Buffer.alloc(blockSize);
  name.copy(bytes, 0, 0, nameField);
  number(bytes, 100, 8, mode & 0o7777);
  number(bytes, 108, 8, owner.uid);
  number(bytes, 116, 8, owner.gid);
  number(bytes, 124, 12, size);
  // Times before 1970 have no octal form that every tar reads.
  number(bytes, 136, 12, Math.max(0, modifiedAt));
  bytes.write(flag, 156, 'latin1');
  target?.copy(bytes, 157, 0, nameField);
  bytes.write('ustar  \0', 257, 'latin1');
  // The sum counts its own field as blanks.
  bytes.fill(0x20, 148, 156);
  let sum = 0;
  for (const byte of bytes) sum += byte;
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

/** Octal digits and NUL; where they do not fit, the base-256 form that starts with the bit 0x80. */
function number(bytes: Buffer, at: number, width: number, value: number): void {
  const digits = value.toString(8);
  if (digits.length < width) {
    bytes.write(digits.padStart(width - 1, '0'), at, 'latin1');
    return;
  }
  let rest = value;
  for (let index = at + width - 1; index > at; index -= 1) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[at] = 0x80;
}
