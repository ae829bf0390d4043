import path from 'node:path';
import type { Box } from '../core/box.js';
import type { Clock } from '../core/clock.js';
import { Exec, processTarget } from './exec.js';
import { fileTool, fileToolPath } from './file-tool.js';
import { type Definition, type ExecStart, ended, type GenericResult, type Tag } from './messages.js';
import { code, GrpcProblem } from './wire/status.js';

export interface SandboxSpec {
  readonly id: string;
  readonly taskId: string;
  readonly appId: string;
  /** Seconds since the epoch; no two sandboxes have the same. */
  readonly createdAt: number;
  readonly tags: readonly Tag[];
  readonly definition: Definition;
  readonly box: Box<'running' | 'finished'>;
  /** Scratch directory on this machine for the outputs of the file tool. */
  readonly scratch: string;
  readonly clock: Clock;
  /** Takes the snapshot of a sandbox that has just ended. */
  snapshot(sandbox: ModalSandbox): Promise<string>;
}

/** `image`: taken. `failed`: the files are lost. */
type ExitSnapshot = { readonly image: string } | { readonly failed: string };

/** One sandbox of the service: a task that runs its entry point and whatever is executed beside it, until its result is known. */
export class ModalSandbox {
  readonly spec: SandboxSpec;
  tags: readonly Tag[];
  name: string | undefined;
  result: GenericResult | undefined;
  finishedAt: number | undefined;
  exitSnapshot: ExitSnapshot | undefined;
  /** Why no snapshot can be taken at the end. */
  snapshotFailure: string | undefined;
  readonly #execs = new Map<string, Exec>();
  #waiting: (() => void)[] = [];
  #finishing: Promise<void> | undefined;
  #tools = 0;

  constructor(spec: SandboxSpec) {
    this.spec = spec;
    this.tags = spec.tags;
    this.name = spec.definition.name === '' ? undefined : spec.definition.name;
  }

  get id(): string {
    return this.spec.id;
  }

  get running(): boolean {
    return this.result === undefined;
  }

  get wantsExitSnapshot(): boolean {
    return this.spec.definition.experimentalOptions['enable_exit_snapshot'] === 'true';
  }

  /** Starts the entry point; its end is the sandbox's end. */
  async start(): Promise<void> {
    const { box, definition } = this.spec;
    await box.boot();
    box.plan('lifetime', (definition.timeoutSecs ?? 300) * 1000, () => void this.finish({ status: ended.timeout }));
    const [program, ...args] = definition.entrypointArgs;
    if (program === undefined) return;
    const entry = box.spawn({ argv: [program, ...args] });
    // Nobody reads what it says, and nobody writes to it.
    entry.stdin.end();
    void entry.exited.then(({ exitCode }) =>
      this.finish({ status: exitCode === 0 ? ended.success : ended.failure, exitcode: exitCode ?? 137 }),
    );
  }

  /** Ends everything in it; what follows the first time changes nothing. */
  finish(result: GenericResult): Promise<void> {
    this.#finishing ??= this.#finish(result);
    return this.#finishing;
  }

  async #finish(result: GenericResult): Promise<void> {
    const { box, clock } = this.spec;
    this.result = result;
    this.finishedAt = clock.now() / 1000;
    box.state = 'finished';
    box.cancel('lifetime');
    await box.halt();
    this.#changed();
    if (!this.wantsExitSnapshot) return;
    this.exitSnapshot = await this.spec.snapshot(this).then(
      (image) => ({ image }),
      (error: unknown) => ({ failed: String(error) }),
    );
    this.#changed();
  }

  /** Resolves when `done` says so, or after `ms`. */
  async until(done: () => boolean, ms: number, signal: AbortSignal): Promise<void> {
    const deadline = Date.now() + ms;
    while (!done() && !signal.aborted && Date.now() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - Date.now());
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  #changed(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Asking twice with one id starts one process. */
  startExec(request: ExecStart, env: Readonly<Record<string, string>>): void {
    const id = request.execId ?? '';
    if (this.#execs.has(id)) return;
    this.requireRunning();
    const [program = '', ...args] = request.commandArgs;
    const { box } = this.spec;
    if (program === fileToolPath) {
      this.#tools += 1;
      this.#execs.set(id, new Exec(fileTool(box.tree, args[0] ?? '{}', path.join(this.spec.scratch, `${this.id}.${this.#tools}`))));
      return;
    }
    const terminal = request.ptyInfo?.enabled ? inTerminal(request.ptyInfo, [program, ...args]) : undefined;
    const process = box.spawn({
      argv: terminal?.argv ?? [program, ...args],
      cwd: request.workdir,
      env: { ...env, ...terminal?.env },
    });
    const exec = new Exec(processTarget(process));
    this.#execs.set(id, exec);
    if (request.timeoutSecs === undefined) return;
    const name = `exec ${id}`;
    box.plan(name, request.timeoutSecs * 1000, () => process.kill());
    void process.exited.then(() => box.cancel(name));
  }

  requireRunning(): void {
    if (!this.running) throw new GrpcProblem(code.failedPrecondition, `the task ${this.spec.taskId} has ended`);
  }

  exec(id: string | undefined): Exec {
    const exec = this.#execs.get(id ?? '');
    if (exec === undefined) throw new GrpcProblem(code.notFound, `there is no exec ${id}`);
    return exec;
  }
}

/** The same command under a terminal of its own, whose size is set before it starts. */
function inTerminal(
  pty: NonNullable<ExecStart['ptyInfo']>,
  argv: readonly string[],
): { readonly argv: [string, ...string[]]; readonly env: Readonly<Record<string, string>> } {
  const quoted = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const command = `stty rows ${pty.rows ?? 24} cols ${pty.columns ?? 80}; exec ${quoted}`;
  return {
    argv: ['script', '--quiet', '--flush', '--return', '--echo', 'always', '--command', command, '/dev/null'],
    env: { TERM: pty.term ?? 'xterm', SHELL: '/bin/sh' },
  };
}
