import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Cancel, Clock } from './clock.js';
import { Namespace } from './namespace.js';
import { BoxProcess, type ProcessRequest } from './process.js';
import { FileTree } from './tree.js';

export interface BoxSpec<State extends string> {
  readonly id: string;
  readonly name: string;
  readonly state: State;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Variables of every process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly workdir: string;
  /** Directories that exist in it besides the usual ones. */
  readonly directories?: readonly string[] | undefined;
  /** Directory of a snapshot. */
  readonly from?: string | undefined;
  readonly offline?: boolean | undefined;
}

/** One emulated sandbox: files that stay, and, while it is up, processes. `State` are the service's own words. */
export class Box<State extends string = string> {
  readonly id: string;
  name: string;
  labels: Record<string, string>;
  env: Record<string, string>;
  state: State;
  readonly createdAt: Date;
  readonly tree: FileTree;
  /** Whether the next {@link boot} gives it no network. */
  offline: boolean;
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #processes = new Set<BoxProcess>();
  readonly #timers = new Map<string, Cancel>();
  #namespace: Namespace | undefined;
  #spawned = 0;

  private constructor(spec: BoxSpec<State>, directory: string, tree: FileTree, clock: Clock) {
    this.id = spec.id;
    this.name = spec.name;
    this.labels = { ...spec.labels };
    this.env = { ...spec.env };
    this.state = spec.state;
    this.offline = spec.offline ?? false;
    this.createdAt = clock.date();
    this.tree = tree;
    this.#directory = directory;
    this.#clock = clock;
  }

  static async create<State extends string>(spec: BoxSpec<State>, parent: string, clock: Clock): Promise<Box<State>> {
    const directory = path.join(parent, spec.id);
    await mkdir(path.join(directory, 'logs'), { recursive: true, mode: 0o700 });
    const tree = await FileTree.create(path.join(directory, 'root'), {
      workdir: spec.workdir,
      directories: spec.directories ?? [],
      from: spec.from,
    });
    return new Box(spec, directory, tree, clock);
  }

  /** Whether processes can run. */
  get up(): boolean {
    return this.#namespace !== undefined;
  }

  /** Processes that have not ended. */
  get running(): number {
    return [...this.#processes].filter(({ end }) => end === undefined).length;
  }

  async boot(): Promise<void> {
    this.#namespace ??= await Namespace.start(this.tree, { offline: this.offline });
  }

  /** Ends every process and lets go of their logs; the files stay. */
  async halt(): Promise<void> {
    const namespace = this.#namespace;
    this.#namespace = undefined;
    await namespace?.stop();
    for (const process of this.#processes) process.kill();
    await Promise.all([...this.#processes].map(({ exited }) => exited));
    for (const process of this.#processes) this.forget(process);
  }

  /** @throws when it is not up. */
  spawn(request: ProcessRequest): BoxProcess {
    const command = this.enter(request.argv, request.cwd);
    this.#spawned += 1;
    const process = new BoxProcess(
      command,
      { ...this.env, ...request.env },
      path.join(this.#directory, 'logs', String(this.#spawned)),
      request.windowBytes,
    );
    this.#processes.add(process);
    return process;
  }

  /** The arguments that run `argv` inside, for a program that must start them itself, such as a terminal. @throws when it is not up. */
  enter(argv: readonly string[], cwd = this.tree.workdir): [string, ...string[]] {
    if (this.#namespace === undefined) throw new Error(`${this.id} is not up`);
    return this.#namespace.enter(cwd, argv);
  }

  /** Lets go of a process whose output nobody asks for any more. */
  forget(process: BoxProcess): void {
    process.dispose();
    this.#processes.delete(process);
  }

  /** Runs `action` after `ms` of the service's time, instead of what was planned under this name before. */
  plan(name: string, ms: number, action: () => void): void {
    this.cancel(name);
    this.#timers.set(name, this.#clock.after(ms, action));
  }

  cancel(name: string): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }

  /** Through `via` to `state`, as clients that ask in between see it. Resolves at the end. */
  async pass(via: State, state: State, delayMs: number, work: () => Promise<void> = async () => {}): Promise<void> {
    this.state = via;
    await work();
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (this.state === via) this.state = state;
  }

  /** Ends everything and deletes its files. */
  async remove(): Promise<void> {
    for (const name of [...this.#timers.keys()]) this.cancel(name);
    await this.halt();
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 3 });
  }
}
