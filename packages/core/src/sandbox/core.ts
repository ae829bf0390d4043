import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Backend,
  type Capabilities,
  type Driver,
  type Gate,
  type GateOperation,
  type GateOutcome,
  type GatePass,
  type GateRequest,
  type HostInfo,
  PetasosError,
  type Placement,
  timerMs,
} from '../contract/index.js';
import type { SpillDirectory } from '../engine/capture.js';
import type { Engine } from '../engine/create-engine.js';
import type { Running, RunRequest } from '../engine/runner.js';
import { type Supervised, type SupervisedEnd, supervise } from '../engine/supervise.js';
import { beforeDue } from './due.js';
import type { Rest } from './rest.js';
import { startInTime } from './start-in-time.js';
import type { CommandOptions } from './types.js';

/** What the parts of one open sandbox share. */
export interface SandboxCore extends Engine {
  readonly backend: Backend<unknown>;
  readonly backendOptions: unknown;
  readonly host: HostInfo;
  readonly capabilities: Capabilities;
  readonly driver: Driver;
  readonly gate: Gate;
  /** Variables of every command: forwarded from the host, then the sandbox's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly forwarded: readonly string[];
  readonly now: () => number;
  readonly life: Lifecycle;
  readonly activity: Activity;
  readonly rest: Rest;
  readonly spills: SpillDirectory;
  placement(): Promise<Placement>;
  /** Reads a small file for the gate; undefined when it cannot be read. */
  readFile(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
}

export const defaultGraceMs = 2_000;

/** Whether a sandbox can still be used. */
export class Lifecycle {
  #state: 'open' | 'closed' | 'destroyed' = 'open';
  readonly #name: string;
  readonly #backend: string;

  constructor(backend: string, name: string) {
    this.#backend = backend;
    this.#name = name;
  }

  get state(): 'open' | 'closed' | 'destroyed' {
    return this.#state;
  }

  end(state: 'closed' | 'destroyed'): void {
    if (this.#state !== 'destroyed') this.#state = state;
  }

  /** @throws `closed` or `destroyed`. */
  require(operation: string, cause?: unknown): void {
    if (this.#state === 'open') return;
    const what = this.#state === 'closed' ? 'has been closed here' : 'has been destroyed';
    throw new PetasosError(this.#state, `the sandbox ${this.#name} of ${this.#backend} ${what}`, {
      backend: this.#backend,
      operation,
      remedy: this.#state === 'closed' ? 'Open it again by its name.' : 'Open a new one.',
      cause,
    });
  }

  /** What the action gives; when it fails because the sandbox has ended meanwhile, that is the error. */
  async during<Result>(operation: string, action: () => Promise<Result>): Promise<Result> {
    this.require(operation);
    try {
      return await action();
    } catch (error) {
      this.require(operation, error);
      throw error;
    }
  }

  /** The same methods, each of them {@link during} the sandbox's life. */
  guard<Methods extends object>(methods: Methods, prefix: string): Methods {
    return new Proxy(methods, {
      get: (target, property, receiver) => {
        const member: unknown = Reflect.get(target, property, receiver);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => this.during(`${prefix}.${String(property)}`, () => Reflect.apply(member, target, args));
      },
    });
  }
}

/** Something that runs until it has ended or is stopped. */
interface Active {
  stop(reason: 'aborted' | 'destroyed', graceMs: number): void;
  readonly ended: Promise<unknown>;
}

/** What runs in this handle's name and must end with it. */
export class Activity {
  readonly #entries = new Set<Active>();
  readonly #starting = new Set<Promise<unknown>>();
  #stopped: { readonly reason: 'aborted' | 'destroyed'; readonly graceMs: number } | undefined;

  /** For what is on its way: it will have been added when this resolves. */
  async starting<Result>(start: Promise<Result>): Promise<Result> {
    this.#starting.add(start);
    try {
      return await start;
    } finally {
      this.#starting.delete(start);
    }
  }

  add(entry: Active): void {
    this.#entries.add(entry);
    const remove = () => this.#entries.delete(entry);
    entry.ended.then(remove, remove);
    if (this.#stopped) entry.stop(this.#stopped.reason, this.#stopped.graceMs);
  }

  get size(): number {
    return this.#entries.size + this.#starting.size;
  }

  /** Stops all that runs, and what starts from now on. Resolves when it has ended; a start that takes longer than the grace is not waited for. */
  async stop(reason: 'aborted' | 'destroyed', graceMs: number): Promise<void> {
    this.#stopped = { reason, graceMs };
    for (const entry of [...this.#entries]) entry.stop(reason, graceMs);
    await Promise.race([Promise.allSettled(this.#starting), delay(timerMs(graceMs), undefined, { ref: false })]);
    await Promise.all([...this.#entries].map((entry) => entry.ended.catch(() => {})));
  }
}

/** Where a command starts: absolute, below home, or below the sandbox's workdir. Characters are never interpreted. */
export async function resolveDirectory(core: SandboxCore, cwd: string | undefined): Promise<string> {
  if (cwd?.startsWith('/')) return cwd;
  const facts = await core.runner.facts();
  if (cwd === '~') return facts.home;
  if (cwd?.startsWith('~/')) return join(facts.home, cwd.slice(2));
  const workdir = core.driver.workdir ?? facts.directory;
  return cwd === undefined || cwd === '' ? workdir : join(workdir, cwd);
}

function join(directory: string, rest: string): string {
  return directory.endsWith('/') ? `${directory}${rest}` : `${directory}/${rest}`;
}

export interface Admission extends Pick<GateRequest, 'stdin' | 'reader' | 'signal'> {
  readonly operation: GateOperation;
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/**
 * Asks the gate. Every command text comes through here, and nothing that has not may be run.
 * @throws `aborted` as soon as the request is, whatever the gate waits for
 */
export async function admit(core: SandboxCore, admission: Admission): Promise<GatePass> {
  core.life.require(admission.operation);
  // The way to the place opens while somebody judges; what fails there is told when the command is to run.
  core.runner.facts().catch(() => {});
  const asking = core.gate.admit({
    ...admission,
    cwd: admission.cwd,
    env: admission.env ?? {},
    sandbox: { backend: core.backend.name, id: core.driver.ref.id, name: core.driver.ref.name },
    placement: () => core.placement(),
    readFile: (path, maxBytes) => core.readFile(path, maxBytes),
  });
  try {
    return await beforeDue(asking, { signal: admission.signal });
  } catch (error) {
    // A permission that comes all the same is used by nobody.
    asking.then(
      (pass) => pass.ended(withoutOutput('aborted')),
      () => {},
    );
    throw error;
  }
}

/** The outcome of what has neither an exit code nor output to tell of. */
export function withoutOutput(ended: string, durationMs = 0): GateOutcome {
  return { ended, exitCode: null, durationMs, stdoutBytes: 0, stderrBytes: 0 };
}

/** Wakes the place, which is no part of a timeout. @throws `aborted` */
export async function wake(core: SandboxCore, signal: AbortSignal | undefined): Promise<void> {
  const waking = core.rest.wake();
  if (waking !== undefined) await beforeDue(waking, { signal });
}

export interface Started {
  readonly running: Running;
  readonly ended: Promise<SupervisedEnd>;
  touch(): void;
}

export type StartRequest = Omit<RunRequest, 'graceMs' | 'env' | 'timeoutMs' | 'idleTimeoutMs' | 'signal'> & {
  readonly env?: Readonly<Record<string, string>> | undefined;
};

/** Starts an admitted command and watches over it. */
export function start(core: SandboxCore, operation: string, request: StartRequest, options: CommandOptions): Promise<Started> {
  return core.activity.starting(begin(core, operation, request, options));
}

async function begin(core: SandboxCore, operation: string, request: StartRequest, options: CommandOptions): Promise<Started> {
  // Whoever judged it may have taken longer than the sandbox was open.
  core.life.require(operation);
  const { running, supervised } = await launch(core, request, options);
  core.activity.add(supervised);
  return { running, ended: supervised.ended, touch: () => supervised.touch() };
}

/** Starts a command that the end of the sandbox neither forbids nor stops. */
export async function launch(
  core: SandboxCore,
  request: StartRequest,
  options: CommandOptions,
): Promise<{ readonly running: Running; readonly supervised: Supervised }> {
  const { timeoutMs, idleTimeoutMs, signal, graceMs = defaultGraceMs } = options;
  const limits = { timeoutMs, idleTimeoutMs, signal, graceMs };
  const startedAt = core.now();
  const wanted = { ...request, ...limits, env: { ...core.env, ...request.env } };
  const running = await startInTime((untilAborted) => core.runner.run({ ...wanted, signal: untilAborted }), wanted);
  return { running, supervised: supervise(running, { ...limits, driver: core.driver, now: core.now, startedAt }) };
}

/** Hands a caller's input to the command; a source that breaks ends the input and is reported. */
export function feed(source: Readable, running: Running): Promise<void> {
  const target = running.stdin;
  if (!target) return Promise.resolve();
  return new Promise((resolve, reject) => {
    source.once('error', (error) => {
      target.end();
      reject(error);
    });
    // A command that ends without reading everything is no failure of the input.
    target.once('error', () => resolve());
    target.once('close', () => resolve());
    target.once('finish', () => resolve());
    void running.ended.then(() => {
      source.unpipe(target);
      source.destroy();
      resolve();
    });
    source.pipe(target);
  });
}
