import { PassThrough, Readable, Writable } from 'node:stream';
import { type Driver, type DriverFiles, PetasosError } from '../../contract/index.js';
import type { MessageInput } from '../message.js';
import type { Operator } from '../operator.js';
import { escapeForPrintf } from '../quote.js';

/** Input up to this size, as it is written in a message, travels with the start. */
const inlineBytes = 8 * 1024;
/** Longer input is written in parts of at most this size, so that memory stays bounded. */
const mostPartBytes = 4 * 1024 * 1024;

const appendScript = 'umask 077; { [ -d "${1%/*}" ] || mkdir -p -- "${1%/*}"; } && cat >>"$1"';

/** Input of commands of a place that takes none live: files of the place, one beside each command's records. */
export class InputFiles {
  readonly #driver: Driver;
  readonly #operator: Operator;
  readonly #directory: () => Promise<string>;
  readonly #partBytes: number;
  #made: Promise<unknown> | undefined;

  constructor(driver: Driver, operator: Operator, directory: () => Promise<string>) {
    this.#driver = driver;
    this.#operator = operator;
    this.#directory = directory;
    this.#partBytes = Math.min(mostPartBytes, operator.inputBytes ?? mostPartBytes);
  }

  async path(id: string): Promise<string> {
    return `${await this.#directory()}/${id}.input`;
  }

  async store(id: string, bytes: Uint8Array): Promise<MessageInput> {
    // Escaping takes up to five characters for a byte; what is much too long is not even tried.
    if (bytes.byteLength <= inlineBytes && escapeForPrintf(bytes).length <= inlineBytes) return { kind: 'data', bytes };
    const path = await this.path(id);
    const native = this.#native();
    if (native !== undefined) {
      await this.#makeDirectory();
      await native(path, Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]), 0o600);
    } else {
      for (let at = 0; at < bytes.byteLength; at += this.#partBytes) await this.#append(path, bytes.subarray(at, at + this.#partBytes));
    }
    return { kind: 'file', path };
  }

  /** For input that comes as a stream: all of it is in the place before the command starts. */
  collect(id: string): { readonly stdin: Writable; readonly input: Promise<MessageInput> } {
    const native = this.#native();
    return native === undefined ? this.#collectParts(id) : this.#collectNative(id, native);
  }

  /** Where only a look at the place tells what it has, input goes without. */
  #native(): NonNullable<DriverFiles['write']> | undefined {
    const { files } = this.#driver;
    return typeof files === 'function' ? undefined : files?.write?.bind(files);
  }

  #makeDirectory(): Promise<unknown> {
    this.#made ??= this.#directory()
      .then((directory) => this.#operator.operate('umask 077; mkdir -p -- "$1"', [directory]))
      .catch((error: unknown) => {
        this.#made = undefined;
        throw error;
      });
    return this.#made;
  }

  #collectNative(id: string, native: NonNullable<DriverFiles['write']>) {
    const stdin = new PassThrough();
    const input = (async (): Promise<MessageInput> => {
      const path = await this.path(id);
      await this.#makeDirectory();
      await native(path, stdin, 0o600);
      if (stdin.errored) throw stdin.errored;
      return { kind: 'file', path };
    })();
    input.catch((error: unknown) => stdin.destroy(error instanceof Error ? error : undefined));
    return { stdin, input };
  }

  #collectParts(id: string) {
    let parts: Buffer[] = [];
    let size = 0;
    let written = false;
    // Whole parts, and at the end what is left.
    const flush = async (whole: boolean) => {
      const bytes = Buffer.concat(parts);
      const taken = whole ? size - (size % this.#partBytes) : size;
      parts = [bytes.subarray(taken)];
      size -= taken;
      written = true;
      const path = await this.path(id);
      for (let at = 0; at < taken; at += this.#partBytes)
        await this.#append(path, bytes.subarray(at, Math.min(taken, at + this.#partBytes)));
    };
    let resolve: (input: MessageInput) => void = () => {};
    let reject: (error: unknown) => void = () => {};
    const input = new Promise<MessageInput>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    const finish = async (): Promise<MessageInput> => {
      if (!written) return this.store(id, Buffer.concat(parts));
      await flush(false);
      return { kind: 'file', path: await this.path(id) };
    };
    const stdin = new Writable({
      write: (chunk: Buffer, _encoding, callback) => {
        parts.push(chunk);
        size += chunk.length;
        if (size < this.#partBytes) callback();
        else flush(true).then(() => callback(), callback);
      },
      final: (callback) => {
        finish().then(
          (stored) => {
            resolve(stored);
            callback();
          },
          (error: unknown) => {
            reject(error);
            callback(error instanceof Error ? error : new Error(String(error)));
          },
        );
      },
    });
    stdin.on('error', reject);
    return { stdin, input };
  }

  async #append(path: string, bytes: Uint8Array): Promise<void> {
    const { exitCode } = await this.#operator.operate(appendScript, [path], bytes);
    if (exitCode === 0) return;
    const { backend } = this.#driver.ref;
    throw new PetasosError('no-space', `the input of a command cannot be written to ${path} of ${backend}`, {
      backend,
      operation: 'exec',
      remedy: 'Make room in the place.',
    });
  }
}
