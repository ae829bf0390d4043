import { type CommandSignal, type Driver, PetasosError } from '../../contract/index.js';
import { cwdError } from '../cwd.js';
import type { Message } from '../message.js';
import type { Nonce } from '../random.js';
import { checkRequest, checkWanted } from '../request.js';
import type { PlaceFacts, Runner, Running, RunRequest } from '../runner.js';
import { brake } from './brake.js';
import { Lane } from './lane.js';
import { LanePool } from './pool.js';
import { Watch } from './watch.js';

export interface LaneRunnerSettings {
  readonly driver: Driver;
  readonly nonce: Nonce;
  readonly graceMs: number;
  /** A client that has not said a word for so many seconds is gone. It speaks three times as often. */
  readonly silenceSeconds: number;
}

/** Input up to this size travels in the message; a pipe takes it whole, so that nothing waits for a reader. */
const inlineInput = 32 * 1024;

/** Where the whole place or the connection is lost, its commands are known to be over by then, and nobody is needed to watch them. */
const successorMs = 200;

/** Runs commands in warm shells: for drivers whose spawn has live stdin and separate streams. */
export class LaneRunner implements Runner {
  readonly #settings: LaneRunnerSettings;
  readonly #pool: LanePool;
  readonly #watches = new Set<Watch>();
  #bash: string | null | undefined;
  #facts: PlaceFacts | undefined;
  #asking: Promise<PlaceFacts> | undefined;
  #closed = false;

  constructor(settings: LaneRunnerSettings) {
    this.#settings = settings;
    this.#pool = new LanePool(() => this.#open(), settings.driver.maxProcesses ?? Number.POSITIVE_INFINITY);
  }

  async #open(): Promise<Lane> {
    const lane = await Lane.open({
      ...this.#settings,
      scratch: this.#settings.driver.scratch ?? '',
      bash: this.#bash,
      sandbox: this.#settings.driver.ref.id,
    });
    this.#bash = lane.facts.bash;
    this.#facts = lane.facts;
    void lane.left.then(() => setTimeout(() => this.#watchOn(), successorMs).unref());
    return lane;
  }

  facts(): Promise<PlaceFacts> {
    if (this.#facts) return Promise.resolve(this.#facts);
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<PlaceFacts> {
    this.#pool.release(await this.#pool.acquire());
    if (!this.#facts) throw new PetasosError('internal', 'a lane opened without saying where');
    return this.#facts;
  }

  async run(request: RunRequest): Promise<Running> {
    checkRequest(request);
    const input = this.#input(request);
    const streams = input.kind === 'rest';
    // A first lane that is on its way serves the first command: a second one would only compete with it.
    if (this.#asking !== undefined) await this.#asking;
    const { lane, listener } = await this.#lanes(streams, request.signal);
    const cookie = this.#settings.nonce();
    const message: Message = {
      nonce: this.#settings.nonce(),
      program: request.program,
      cwd: request.cwd,
      env: request.env ?? {},
      input,
      acknowledge: request.acknowledge ?? false,
      note: request.note,
    };
    const watch = listener && this.#watch(lane, listener, cookie);
    const running = lane.run(message, cookie, request.timeoutMs);
    if (watch) void running.ended.then(() => this.#unwatch(watch));
    if (request.stdin instanceof Uint8Array && streams) running.stdin?.end(request.stdin);
    if (this.#settings.driver.outputRunsAhead) {
      const halt = async (signal: 'STOP' | 'CONT') => ((await watch?.lane()) ?? lane).signal(`SIG${signal}`, cookie, lane.pid);
      brake(lane.restingMs, (signal) => void halt(signal).catch(() => {}), running.ended);
    }
    return this.#withErrors(watch ? this.#taken(running, lane, watch, cookie) : running, request);
  }

  /** A lane for a command and, where the command takes it over, another one that listens meanwhile. */
  async #lanes(takenOver: boolean, signal: AbortSignal | undefined): Promise<{ readonly lane: Lane; readonly listener: Lane | undefined }> {
    for (;;) {
      const lane = await this.#pool.acquire();
      try {
        const listener = takenOver ? await this.#listener(lane) : undefined;
        checkWanted(this.#closed, signal);
        // It may have ended while the other one was looked for: it would never answer.
        if (lane.state !== 'dead') return { lane, listener };
      } catch (error) {
        lane.taken = false;
        this.#pool.release(lane);
        throw error;
      }
    }
  }

  #input(request: RunRequest): Message['input'] {
    if (request.stdin === 'none') return { kind: 'none' };
    if (request.stdin === 'stream') return { kind: 'rest' };
    return request.stdin.byteLength <= inlineInput ? { kind: 'data', bytes: request.stdin } : { kind: 'rest' };
  }

  #watch(taken: Lane, listener: Lane, cookie: string): Watch {
    for (const watch of this.#watches) watch.move(taken, listener);
    const watch = new Watch(listener, { cookie, find: () => this.#listener(taken) });
    this.#watches.add(watch);
    return watch;
  }

  /** Finds another listener for every command whose own has left. */
  #watchOn(): void {
    for (const watch of this.#watches) watch.lane().catch(() => {});
  }

  #unwatch(watch: Watch): void {
    this.#watches.delete(watch);
    watch.end();
  }

  /** A lane that has been taken over hears nothing. */
  async #listener(taken: Lane): Promise<Lane> {
    taken.taken = true;
    const present = this.#pool.listener();
    if (present) return present;
    const lane = await this.#pool.acquire();
    this.#pool.release(lane);
    return lane;
  }

  #taken(running: Running, lane: Lane, watch: Watch, cookie: string): Running {
    const root = lane.pid;
    return {
      ...running,
      kill: async (signal: CommandSignal) => {
        lane.noteSignal(signal);
        (await watch.lane()).signal(signal, cookie, root);
      },
      terminate: async (graceMs) => {
        await (await watch.lane()).terminate(graceMs, cookie, root);
      },
    };
  }

  #withErrors(running: Running, request: RunRequest): Running {
    const started = running.started.catch((reason: unknown) => {
      throw cwdError(this.#settings.driver.ref.backend, request.cwd ?? '', String(reason));
    });
    started.catch(() => {});
    return { ...running, started };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.close();
  }
}
