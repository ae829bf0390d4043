import { Writable } from 'node:stream';
import { type Driver, isPetasosError, PetasosError } from '../../contract/index.js';
import { cwdError } from '../cwd.js';
import { encodeMessage, type Message } from '../message.js';
import type { Operator } from '../operator.js';
import type { Nonce } from '../random.js';
import { checkRequest } from '../request.js';
import type { PlaceFacts, Runner, Running, RunRequest } from '../runner.js';
import { HeldCommand } from './held-command.js';
import { JobRecords } from './records.js';

export interface JobRunnerSettings {
  readonly driver: Driver;
  readonly operator: Operator;
  readonly nonce: Nonce;
  scratch(): Promise<string>;
}

/** Bytes of each stream that wait in the place for their reader; then the command is slowed down. */
const heldBytes = 16 * 1024 * 1024;
/** Input is written in parts of this size, so that memory stays bounded. */
const inputPartBytes = 4 * 1024 * 1024;

const factsScript = `printf '%s\\n%s\\n%s\\n' "$(command -v bash 2>/dev/null)" "$(id -u 2>/dev/null)" "\${HOME:-/}"; pwd`;

/** Runs every command as a job that is read by offset: for drivers without live stdin, or whose streams lose bytes. */
export class JobRunner implements Runner {
  readonly #settings: JobRunnerSettings;
  readonly #records: JobRecords;
  readonly #running = new Set<HeldCommand>();
  #facts: Promise<PlaceFacts> | undefined;
  #closed = false;

  constructor(settings: JobRunnerSettings) {
    this.#settings = settings;
    const directory = async () => `${await settings.scratch()}/held`;
    this.#records = new JobRecords(settings.operator, directory, settings.driver.ref.backend);
  }

  facts(): Promise<PlaceFacts> {
    this.#facts ??= this.#ask().catch((error: unknown) => {
      this.#facts = undefined;
      throw error;
    });
    return this.#facts;
  }

  async #ask(): Promise<PlaceFacts> {
    const { stdout } = await this.#settings.operator.operate(factsScript, []);
    const [bash = '', uid = '', home = '/', ...directory] = stdout.toString('utf8').split('\n');
    return { bash: bash || null, uid: /^\d+$/.test(uid) ? Number(uid) : null, home, directory: directory.join('\n').replace(/\n$/, '') };
  }

  async run(request: RunRequest): Promise<Running> {
    if (this.#closed) throw new PetasosError('closed', 'the sandbox is closed');
    checkRequest(request);
    const { bash } = await this.facts();
    const id = this.#settings.nonce();
    const nonce = this.#settings.nonce();
    const directory = await this.#records.path(id);
    const held = new HeldCommand({
      operator: this.#settings.operator,
      directory,
      nonce,
      explain: (error) => this.#explain(error),
    });
    const begin = async (input: Message['input']) => {
      if (request.signal?.aborted) throw new PetasosError('aborted', 'aborted before the command started');
      const message = encodeMessage(
        { nonce, program: request.program, cwd: request.cwd, env: request.env ?? {}, input, acknowledge: true, note: request.note },
        bash,
      );
      const refused = await this.#records.start({
        id,
        message,
        about: '',
        limit: heldBytes,
        timeoutMs: request.timeoutMs === undefined ? undefined : request.timeoutMs + 1_000,
        graceMs: request.graceMs,
        mode: 'hold',
        openInput: false,
      });
      if (refused !== undefined) throw cwdError(this.#settings.driver.ref.backend, request.cwd ?? '', refused);
      this.#running.add(held);
      void held.follow();
    };
    void held.ended.then(() => this.#settle(held, id));
    return this.#handle(request, held, id, begin);
  }

  async #handle(request: RunRequest, held: HeldCommand, id: string, begin: (input: Message['input']) => Promise<void>): Promise<Running> {
    let stdin: Writable | undefined;
    let started: Promise<void>;
    if (request.stdin === 'none') {
      started = begin({ kind: 'none' });
    } else if (request.stdin instanceof Uint8Array) {
      const bytes = request.stdin;
      started = this.#store(id, bytes).then((path) => begin({ kind: 'file', path }));
    } else {
      const collected = this.#collector(id);
      stdin = collected.stdin;
      started = collected.path.then((path) => begin({ kind: 'file', path }));
    }
    const settled = started.catch((error: unknown) => {
      held.abandon('disconnected');
      throw error;
    });
    settled.catch(() => {});
    if (!stdin) await settled;
    return {
      stdin,
      stdout: held.stdout,
      stderr: held.stderr,
      ended: held.ended,
      started: stdin ? Promise.resolve() : settled,
      kill: (signal) => {
        held.sent = signal;
        return this.#records.signal(id, signal);
      },
      terminate: (graceMs) => this.#records.terminate(id, graceMs),
      abandon: (ended) => held.abandon(ended),
    };
  }

  /** Writes the input to a file of the place beside the job, which does not exist yet. */
  async #store(id: string, bytes: Uint8Array): Promise<string> {
    const path = await this.#inputPath(id);
    for (let at = 0; at === 0 || at < bytes.byteLength; at += inputPartBytes)
      await this.#append(path, bytes.subarray(at, at + inputPartBytes));
    return path;
  }

  async #inputPath(id: string): Promise<string> {
    return `${await this.#records.path(id)}.input`;
  }

  async #append(path: string, bytes: Uint8Array): Promise<void> {
    const script = 'umask 077; mkdir -p -- "${1%/*}" && cat >>"$1"';
    const { exitCode } = await this.#settings.operator.operate(script, [path], bytes);
    if (exitCode === 0) return;
    throw new PetasosError('no-space', `the input of a command cannot be written to ${path} of ${this.#settings.driver.ref.backend}`, {
      backend: this.#settings.driver.ref.backend,
      operation: 'exec',
      remedy: 'Make room in the place.',
    });
  }

  /** A place without live stdin gets the whole input first. */
  #collector(id: string): { readonly stdin: Writable; readonly path: Promise<string> } {
    let parts: Buffer[] = [];
    let size = 0;
    const flush = async () => {
      const bytes = Buffer.concat(parts);
      parts = [];
      size = 0;
      await this.#append(await this.#inputPath(id), bytes);
    };
    let resolve: (path: string) => void = () => {};
    let reject: (error: unknown) => void = () => {};
    const path = new Promise<string>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    const stdin = new Writable({
      write: (chunk: Buffer, _encoding, callback) => {
        parts.push(chunk);
        size += chunk.length;
        if (size < inputPartBytes) callback();
        else flush().then(() => callback(), callback);
      },
      final: (callback) => {
        flush()
          .then(() => this.#inputPath(id))
          .then((written) => {
            resolve(written);
            callback();
          })
          .catch((error: unknown) => {
            reject(error);
            callback(error instanceof Error ? error : new Error(String(error)));
          });
      },
    });
    stdin.on('error', reject);
    return { stdin, path };
  }

  async #settle(held: HeldCommand, id: string): Promise<void> {
    this.#running.delete(held);
    const path = await this.#records.path(id);
    await this.#settings.operator.operate('rm -rf -- "$1" "$1.input"', [path]).catch(() => {});
  }

  async #explain(error: PetasosError | undefined): Promise<'disconnected' | 'destroyed'> {
    if (isPetasosError(error, 'destroyed')) return 'destroyed';
    const state = await this.#settings.driver.state?.().catch(() => undefined);
    return state === 'gone' || state === 'stopped' ? 'destroyed' : 'disconnected';
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const held of this.#running) held.abandon('disconnected');
  }
}
