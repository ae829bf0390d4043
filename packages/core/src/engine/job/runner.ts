import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Driver, type DriverFiles, type Ended, isPetasosError, type PetasosError } from '../../contract/index.js';
import { cwdError } from '../cwd.js';
import { encodeMessage, type MessageInput } from '../message.js';
import type { Operator } from '../operator.js';
import type { Nonce } from '../random.js';
import { checkRequest, checkWanted } from '../request.js';
import type { PlaceFacts, Runner, Running, RunRequest } from '../runner.js';
import { untilUnanswered } from '../supervise.js';
import { GoneRecords } from './gone.js';
import { bytesOfLook, HeldCommand } from './held-command.js';
import { InputFiles } from './input.js';
import { JobRecords } from './records.js';

export interface JobRunnerSettings {
  readonly driver: Driver;
  readonly operator: Operator;
  readonly nonce: Nonce;
  scratch(): Promise<string>;
}

/** Bytes of each stream that wait in the place for their reader; then the command is slowed down. */
const heldBytes = 16 * 1024 * 1024;
/** How long the start of a command waits for its output, in hundredths of a second: most are over by then. */
const launchHundredths = 20;

const factsScript = `printf '%s\\n%s\\n%s\\n' "$(command -v bash 2>/dev/null)" "$(id -u 2>/dev/null)" "\${HOME:-/}"; pwd`;

/** Runs every command as a job that is read by offset: for drivers without live stdin, or whose streams lose bytes. */
export class JobRunner implements Runner {
  readonly #settings: JobRunnerSettings;
  readonly #records: JobRecords;
  readonly #inputs: InputFiles;
  readonly #gone: GoneRecords;
  readonly #running = new Set<HeldCommand>();
  readonly #read: DriverFiles['read'] | undefined;
  #facts: Promise<PlaceFacts> | undefined;
  #closed = false;

  constructor(settings: JobRunnerSettings) {
    this.#settings = settings;
    const directory = async () => `${await settings.scratch()}/held`;
    this.#records = new JobRecords(settings.operator, directory, settings.driver.ref.backend);
    this.#inputs = new InputFiles(settings.driver, settings.operator, directory);
    const { files } = settings.driver;
    this.#read = typeof files === 'function' ? undefined : files?.read?.bind(files);
    this.#gone = new GoneRecords(settings.operator, (id) => this.#records.path(id));
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
    checkRequest(request);
    const id = this.#settings.nonce();
    const nonce = this.#settings.nonce();
    const [{ bash }, directory] = await Promise.all([this.facts(), this.#records.path(id)]);
    const held = new HeldCommand({
      operator: this.#settings.operator,
      directory,
      nonce,
      read: this.#read,
      explain: (error) => this.#explain(error),
    });
    const begin = async (input: MessageInput) => {
      checkWanted(this.#closed || held.over, request.signal);
      held.begun = true;
      const message = encodeMessage(
        { nonce, program: request.program, cwd: request.cwd, env: request.env ?? {}, input, acknowledge: true, note: request.note },
        bash,
      );
      this.#running.add(held);
      const answer = await this.#launch(request, held, id, message);
      // What began although it was let go of meanwhile ends with its records.
      if (!this.#running.has(held)) void this.#gone.remove(id);
      if (answer === undefined) held.abandon('disconnected');
      else void nextTurn().then(() => held.follow(answer));
    };
    void held.ended.then(({ ended }) => this.#settle(held, id, ended));
    return this.#handle(request, held, id, begin);
  }

  /** @returns what the first look has found; undefined when the place was lost with the start on its way. */
  async #launch(request: RunRequest, held: HeldCommand, id: string, message: string): Promise<Buffer | undefined> {
    const { timeoutMs, graceMs } = request;
    const start = {
      id,
      message,
      about: '',
      limit: heldBytes,
      timeoutMs: timeoutMs === undefined ? undefined : timeoutMs + 1_000,
      graceMs,
      mode: 'hold',
      openInput: false,
    } as const;
    // Who watches over the command can end it only when this has returned; an abort is not to wait for that.
    const endsMs = Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, request.idleTimeoutMs ?? Number.POSITIVE_INFINITY);
    const waitHundredths = Math.min(launchHundredths, Math.floor(endsMs / 40));
    const gone = this.#gone.take();
    let launched = false;
    const onAbort = async () => {
      // What is only about to start cannot be found yet.
      while (!launched) {
        await this.#records.terminate(id, graceMs).catch(() => {
          launched = true;
        });
      }
    };
    request.signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const launch = this.#records.launch(start, { maxBytes: bytesOfLook(this.#read), waitHundredths }, gone);
      const answered = await this.#unlessLost(launch);
      if (answered === undefined) {
        for (const one of gone) this.#gone.add(one);
        return undefined;
      }
      const { refused, answer } = answered;
      if (refused === undefined) return answer;
      this.#running.delete(held);
      throw cwdError(this.#settings.driver.ref.backend, request.cwd ?? '', refused);
    } catch (error) {
      for (const one of gone) this.#gone.add(one);
      if (isPetasosError(error, 'disconnected') && error.data.underway === true) return undefined;
      throw error;
    } finally {
      launched = true;
      request.signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Requests to a place that is out of reach are sent again for longer than anybody may wait for the end of a command. */
  async #unlessLost<Result>(work: Promise<Result>): Promise<Result | undefined> {
    const over = new AbortController();
    work.catch(() => {});
    try {
      return await Promise.race([work, untilUnanswered(this.#settings.driver, over.signal)]);
    } finally {
      over.abort();
    }
  }

  async #handle(request: RunRequest, held: HeldCommand, id: string, begin: (input: MessageInput) => Promise<void>): Promise<Running> {
    let stdin: Writable | undefined;
    let started: Promise<void>;
    if (request.stdin === 'none') {
      started = begin({ kind: 'none' });
    } else if (request.stdin instanceof Uint8Array) {
      started = this.#inputs.store(id, request.stdin).then(begin);
    } else {
      const collected = this.#inputs.collect(id);
      stdin = collected.stdin;
      started = collected.input.then(begin);
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
      terminate: async (graceMs) => {
        if (held.begun) await this.#records.terminate(id, graceMs);
        else held.cancel();
      },
      abandon: (ended) => held.abandon(ended),
    };
  }

  #settle(held: HeldCommand, id: string, ended: Ended): void {
    const begun = this.#running.delete(held);
    if (ended === 'destroyed') return;
    // A command that goes on without its client ends when its records go.
    if (ended === 'disconnected' && begun) void this.#gone.remove(id);
    else this.#gone.add(id);
  }

  async #explain(error: PetasosError | undefined): Promise<'disconnected' | 'destroyed'> {
    if (isPetasosError(error, 'destroyed')) return 'destroyed';
    const state = await this.#settings.driver.state?.().catch(() => undefined);
    return state === 'gone' || state === 'stopped' ? 'destroyed' : 'disconnected';
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const held of this.#running) held.abandon('disconnected');
    await this.#gone.flush();
  }
}
