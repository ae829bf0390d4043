/** One entry of an archive that no honest tar would write. */
export interface CraftedEntry {
  readonly name: string;
  /** The type flag; default a file. */
  readonly flag?: string;
  readonly target?: string;
  readonly content?: string;
  readonly mode?: number;
  /** What the size field says; default the truth. A string is put there as it is. */
  readonly size?: number | string;
  readonly brokenSum?: boolean;
}

const blockSize = 512;

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((blockSize - (content.length % blockSize)) % blockSize)]);
}

function entry({ name, flag = '0', target = '', content = '', mode = 0o644, size, brokenSum = false }: CraftedEntry): Buffer {
  const header = Buffer.alloc(blockSize);
  header.write(name, 0, 100);
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  const body = Buffer.from(content);
  if (typeof size === 'string') header.write(size, 124, 12, 'latin1');
  else header.write(`${(size ?? body.length).toString(8).padStart(11, '0')}\0`, 124);
  header.write('07346545000\0', 136);
  header.write(flag, 156);
  header.write(target, 157, 100);
  header.write('ustar\x0000', 257, 'latin1');
  header.fill(0x20, 148, 156);
  const sum = header.reduce((total, byte) => total + byte, brokenSum ? 1 : 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, padded(body)]);
}

/** GNU's record for a name (`L`) or a target (`K`) that is longer than its field. */
export function longName(name: string, flag: 'L' | 'K' = 'L'): CraftedEntry {
  return { name: '././@LongLink', flag, content: `${name}\0` };
}

/** A pax record for the entry after it. */
export function pax(values: Readonly<Record<string, string>>): CraftedEntry {
  const records = Object.entries(values).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = Buffer.byteLength(rest);
    while (String(length).length + Buffer.byteLength(rest) !== length) length = String(length).length + Buffer.byteLength(rest);
    return `${length}${rest}`;
  });
  return { name: 'PaxHeader', flag: 'x', content: records.join('') };
}

/** The entries as an archive; `end` stands after them. */
export function craft(entries: readonly CraftedEntry[], end: Buffer = Buffer.alloc(2 * blockSize)): Buffer {
  return Buffer.concat([...entries.map(entry), end]);
}
