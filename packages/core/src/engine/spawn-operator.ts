import { once } from 'node:events';
import { Readable } from 'node:stream';
import { type Driver, isPetasosError, PetasosError } from '../contract/index.js';
import type { OperationResult, Operator } from './operator.js';
import type { Nonce } from './random.js';

/** Bytes of input for one variable, which has a limit of 128 KiB. Whole groups of three, so that the codes can be put together. */
const variableBytes = 90_000;
/** Variables for one process: some systems take no more than 1 MiB of arguments and variables. */
const variables = 7;
const chunkBytes = variables * variableBytes;

/** Prints the input. Whatever runs behind it must not have the variables. */
const printInput = `printf %s ${Array.from({ length: variables }, (_, at) => `"$PETASOS_INPUT${at}"`).join(' ')} | base64 -d`;
const forgetInput = `unset ${Array.from({ length: variables }, (_, at) => `PETASOS_INPUT${at}`).join(' ')}`;

/**
 * Runs the script in $1 with the arguments that follow, its output as base64 (or octal numbers) between two marks: what a login shell
 * says before, or a stream that is not fit for bytes, cannot damage it.
 */
const wrapper = `petasos_n=$1 PETASOS_SANDBOX=$2 petasos_script=$3
export PETASOS_SANDBOX
shift 3
printf '\\n%s begin\\n' "$petasos_n"
if command -v base64 >/dev/null 2>&1; then
  petasos_code=base64
  petasos_status=$( { { /bin/sh -c "$petasos_script" petasos "$@" 3>&- 4>&- 2>/dev/null; printf %s "$?" >&3; } | base64 >&4; } 3>&1)
else
  petasos_code=octal
  petasos_status=$( { { /bin/sh -c "$petasos_script" petasos "$@" 3>&- 4>&- 2>/dev/null; printf %s "$?" >&3; } | od -An -v -to1 >&4; } 3>&1)
fi 4>&1
printf '\\n%s end %s %s\\n' "$petasos_n" "$petasos_status" "$petasos_code"`;

/**
 * Operations as processes of their own: for drivers without live stdin or with streams that lose bytes.
 */
export class SpawnOperator implements Operator {
  readonly #driver: Driver;
  readonly #nonce: Nonce;
  readonly #liveInput: boolean;
  readonly inputBytes: number | undefined;

  constructor(driver: Driver, nonce: Nonce, liveInput: boolean) {
    this.inputBytes = liveInput ? undefined : chunkBytes;
    this.#driver = driver;
    this.#nonce = nonce;
    this.#liveInput = liveInput;
  }

  async operate(script: string, args: readonly string[], input?: Uint8Array): Promise<OperationResult> {
    if (input === undefined || this.#liveInput) return this.#run(script, args, input, undefined);
    if (input.byteLength <= chunkBytes) return this.#run(`${printInput} | {\n${forgetInput}\n${script}\n}`, args, undefined, input);
    return this.#runWithFile(script, args, input);
  }

  /** Input that is too long for one variable is put into a file first. */
  async #runWithFile(script: string, args: readonly string[], input: Uint8Array): Promise<OperationResult> {
    const made = await this.operate('umask 077; mktemp -d "${TMPDIR:-/tmp}/petasos-input.XXXXXX" 2>/dev/null', []);
    const directory = made.stdout.toString('utf8').trim();
    if (made.exitCode !== 0 || directory === '') throw this.#noRoom();
    const file = `${directory}/input`;
    try {
      await this.#fill(file, input);
      return await this.#run(`petasos_file=$1; shift; {\n${script}\n} <"$petasos_file"`, [file, ...args], undefined, undefined);
    } finally {
      await this.#run('rm -rf -- "$1"', [directory], undefined, undefined).catch(() => {});
    }
  }

  /** In one go where the driver can write files itself, else part by part. */
  async #fill(file: string, input: Uint8Array): Promise<void> {
    const { files } = this.#driver;
    const native = typeof files === 'function' ? await files() : files;
    if (native?.write) return native.write(file, Readable.from([Buffer.from(input)], { objectMode: false }), 0o600);
    for (let at = 0; at < input.byteLength; at += chunkBytes) {
      const part = input.subarray(at, at + chunkBytes);
      const { exitCode } = await this.#run(`${printInput} >>"$1"`, [file], undefined, part);
      if (exitCode !== 0) throw this.#noRoom();
    }
  }

  #noRoom(): PetasosError {
    return new PetasosError('no-space', `input cannot be written to the temporary directory of ${this.#driver.ref.backend}`, {
      backend: this.#driver.ref.backend,
      operation: 'spawn',
      remedy: 'Make room there or make it writable.',
    });
  }

  async #run(
    script: string,
    args: readonly string[],
    input: Uint8Array | undefined,
    variable: Uint8Array | undefined,
  ): Promise<OperationResult> {
    const nonce = this.#nonce();
    const process = await this.#driver.spawn({
      argv: ['/bin/sh', '-c', wrapper, 'petasos-operation', nonce, this.#driver.ref.id, script, ...args],
      stdin: input !== undefined,
      env: variable && encodeInput(variable),
    });
    process.stdin?.on('error', () => {});
    if (input) process.stdin?.end(input);
    process.stderr?.resume();
    const chunks: Buffer[] = [];
    process.stdout.on('data', (chunk: Buffer | string) => chunks.push(Buffer.from(chunk)));
    const streamed = once(process.stdout, 'close').catch(() => {});
    await process.exited.catch((error: unknown) => {
      throw lostUnderway(error);
    });
    await streamed;
    return this.#decode(Buffer.concat(chunks), nonce);
  }

  #decode(answer: Buffer, nonce: string): OperationResult {
    const begin = answer.indexOf(`${nonce} begin\n`);
    const end = answer.lastIndexOf(`${nonce} end `);
    if (begin === -1 || end === -1) {
      throw new PetasosError('disconnected', `${this.#driver.ref.backend} gave no whole answer in the sandbox ${this.#driver.ref.name}`, {
        backend: this.#driver.ref.backend,
        operation: 'spawn',
        retryable: true,
        data: { underway: true },
        remedy: 'Check whether the sandbox still runs.',
      });
    }
    const [, , status = '', coding = ''] = answer.toString('latin1', end).split(/[ \n]/);
    const from = begin + nonce.length + 7;
    const stdout = coding === 'base64' ? decodeBase64(answer.subarray(from, end)) : decodeOctal(answer.toString('latin1', from, end));
    return { exitCode: Number(status), stdout };
  }
}

const decodedAtOnce = 64 * 1024;

/** Line by line, in pieces: the whole as one text would take its size in memory again. Every line but the last is whole groups of four. */
function decodeBase64(encoded: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(Math.ceil((encoded.length * 3) / 4));
  let length = 0;
  for (let at = 0; at < encoded.length; ) {
    const line = encoded.lastIndexOf(10, at + decodedAtOnce);
    const end = at + decodedAtOnce < encoded.length && line > at ? line + 1 : encoded.length;
    length += bytes.write(encoded.toString('latin1', at, end), length, 'base64');
    at = end;
  }
  return bytes.subarray(0, length);
}

function encodeInput(input: Uint8Array): Record<string, string> {
  const env: Record<string, string> = {};
  for (let at = 0; at < variables; at++) {
    const part = input.subarray(at * variableBytes, (at + 1) * variableBytes);
    env[`PETASOS_INPUT${at}`] = Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('base64');
  }
  return env;
}

function decodeOctal(body: string): Buffer {
  const words = body.split(/\s+/).filter(Boolean);
  return Buffer.from(words.map((octal) => Number.parseInt(octal, 8)));
}

/** The place was lost after it had been asked: what was asked may have been done. */
function lostUnderway(error: unknown): unknown {
  if (!isPetasosError(error, 'disconnected')) return error;
  const { code, message, backend, operation, retryable, remedy, data } = error;
  return new PetasosError(code, message, { backend, operation, retryable, remedy, data: { ...data, underway: true }, cause: error });
}
