/** The protobuf encoding, as far as one service's messages need it: no groups, no packed numbers. */

type Scalar = 'string' | 'bytes' | 'bool' | 'int' | 'float' | 'double' | 'map';

interface Field {
  readonly number: number;
  readonly name: string;
  /** A scalar, or the name of a message, which begins with a capital. */
  readonly type: Scalar | (string & {});
  readonly repeated: boolean;
}

/** Messages by name, each as `number name:type` separated by commas; the type is `string` where it is left out, `[]` repeats. */
export type Descriptions = Readonly<Record<string, string>>;

const utf8 = new TextDecoder();

export class Codec {
  readonly #messages = new Map<string, readonly Field[]>();

  constructor(descriptions: Descriptions) {
    for (const [name, text] of Object.entries(descriptions)) this.#messages.set(name, parse(text));
  }

  /** Fields that were not sent are absent, except lists and maps, which are empty. The caller knows the shape. */
  decode<Shape>(message: string, bytes: Uint8Array): Shape {
    return this.#decode(this.#fields(message), new Reader(bytes)) as Shape;
  }

  /** Every member that is not undefined is sent, empty ones too. */
  encode(message: string, value: object): Buffer {
    const out: Buffer[] = [];
    const members = value as Readonly<Record<string, unknown>>;
    for (const field of this.#fields(message)) {
      const member = members[field.name];
      if (member === undefined) continue;
      for (const one of field.repeated ? (member as readonly unknown[]) : [member]) out.push(...this.#encodeField(field, one));
    }
    return Buffer.concat(out);
  }

  #fields(message: string): readonly Field[] {
    const fields = this.#messages.get(message);
    if (fields === undefined) throw new Error(`no description of the message ${message}`);
    return fields;
  }

  #decode(fields: readonly Field[], reader: Reader): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    for (const field of fields) if (field.repeated || field.type === 'map') value[field.name] = field.repeated ? [] : {};
    while (!reader.done) {
      const tag = reader.varint();
      const field = fields.find(({ number }) => number === tag >> 3);
      const raw = reader.value(tag & 7);
      if (field === undefined) continue;
      const decoded = this.#decodeField(field, raw);
      if (field.type === 'map') Object.assign(value[field.name] as object, decoded);
      else if (field.repeated) (value[field.name] as unknown[]).push(decoded);
      else value[field.name] = decoded;
    }
    return value;
  }

  #decodeField(field: Field, raw: number | Buffer): unknown {
    if (typeof raw === 'number') return field.type === 'bool' ? raw !== 0 : raw;
    switch (field.type) {
      case 'string':
        return utf8.decode(raw);
      case 'bytes':
        return raw;
      case 'float':
        return raw.readFloatLE();
      case 'double':
        return raw.readDoubleLE();
      case 'map': {
        const { key = '', value = '' } = this.#decode(parse('1 key, 2 value'), new Reader(raw)) as { key?: string; value?: string };
        return { [key]: value };
      }
      default:
        return this.#decode(this.#fields(field.type), new Reader(raw));
    }
  }

  #encodeField(field: Field, value: unknown): Buffer[] {
    const { number } = field;
    const tagged = (kind: number, ...rest: Buffer[]) => [varint((number << 3) | kind), ...rest];
    const sized = (bytes: Uint8Array) => tagged(2, varint(bytes.byteLength), Buffer.from(bytes));
    switch (field.type) {
      case 'string':
        return sized(Buffer.from(value as string));
      case 'bytes':
        return sized(value as Uint8Array);
      case 'bool':
        return tagged(0, varint(value ? 1 : 0));
      case 'int':
        return tagged(0, varint(value as number));
      case 'float': {
        const bytes = Buffer.alloc(4);
        bytes.writeFloatLE(value as number);
        return tagged(5, bytes);
      }
      case 'double': {
        const bytes = Buffer.alloc(8);
        bytes.writeDoubleLE(value as number);
        return tagged(1, bytes);
      }
      default:
        return sized(this.encode(field.type, value as object));
    }
  }
}

function parse(text: string): Field[] {
  return text
    .split(',')
    .map((part) => /^\s*(\d+) (\w+)(?::(\w+)(\[\])?)?\s*$/.exec(part))
    .filter((match) => match !== null)
    .map(([, number, name = '', type = 'string', repeated]) => ({ number: Number(number), name, type, repeated: repeated !== undefined }));
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(Math.trunc(value)));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error('a message ends in the middle of a number');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(64, value));
    }
  }

  /** The value behind a tag of this wire type: a number, or the bytes of everything else. */
  value(kind: number): number | Buffer {
    if (kind === 0) return this.varint();
    const length = kind === 1 ? 8 : kind === 5 ? 4 : kind === 2 ? this.varint() : undefined;
    if (length === undefined || this.#at + length > this.#bytes.length) throw new Error(`a message is damaged (wire type ${kind})`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
