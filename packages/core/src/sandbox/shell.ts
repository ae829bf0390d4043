import { PetasosError } from '../contract/index.js';
import { argumentLimit } from '../engine/message.js';
import type { ScriptProgram } from '../engine/runner.js';
import { sessionScripts } from '../engine/scripts/index.js';
import { resolveDirectory, type SandboxCore } from './core.js';
import { beforeDue } from './due.js';
import { admitted, nothingRun } from './exec.js';
import { checkCommand, checkOptions } from './requests.js';
import type { ExecResult, Shell, ShellExecOptions, ShellOptions, ShellResult } from './types.js';

/** The sessions that this client has opened in one sandbox. */
export class ShellSessions {
  readonly #core: SandboxCore;
  readonly #sessions = new Map<string, ShellSession>();

  constructor(core: SandboxCore) {
    this.#core = core;
  }

  /** The session of this name; options count when it is made. */
  get(name = 'default', options: ShellOptions = {}): Shell {
    checkOptions('shell', options);
    let session = this.#sessions.get(name);
    if (!session) {
      session = new ShellSession(this.#core, name, options, () => this.#sessions.delete(name));
      this.#sessions.set(name, session);
    }
    return session;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close().catch(() => {})));
  }
}

/** What a command has told of the state that it left. */
interface Saved {
  readonly restarted: boolean;
  readonly fallback: string | undefined;
}

/**
 * Every command is a shell of its own that takes over the state which the one before has saved. So `exit`, `exec`, `set -e` and a
 * kill end the command and never the session, on every runner.
 */
class ShellSession implements Shell {
  readonly name: string;
  readonly #core: SandboxCore;
  readonly #options: ShellOptions;
  readonly #forget: () => void;
  readonly #id: string;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** Where the last state was saved; undefined before the first. */
  #loaded: string | undefined;
  /** Where the next one is to be saved. What a command without an end may still save to is never used again. */
  #free = '1';
  #slots = 2;
  #tries = 0;
  #cwd: string | undefined;
  readonly #functions = new Map<string, string>();

  constructor(core: SandboxCore, name: string, options: ShellOptions, forget: () => void) {
    this.name = name;
    this.#core = core;
    this.#options = options;
    this.#forget = forget;
    this.#id = core.nonce();
  }

  async exec(command: string, options: ShellExecOptions = {}): Promise<ShellResult> {
    checkCommand(command, 'shell');
    checkOptions('shell.exec', options);
    const before = this.#queue;
    const turn = this.#inTurn(before, command, options);
    this.#queue = Promise.allSettled([before, turn]);
    return turn;
  }

  /** Whoever gives up while others are at work in the session need not wait for them. */
  async #inTurn(before: Promise<unknown>, command: string, options: ShellExecOptions): Promise<ShellResult> {
    try {
      await beforeDue(before, { signal: options.signal });
    } catch {
      return this.#describe(nothingRun('aborted').result, undefined);
    }
    return this.#run(command, options);
  }

  async #run(command: string, options: ShellExecOptions): Promise<ShellResult> {
    const core = this.#core;
    core.life.require('shell');
    if (this.#closed) {
      throw new PetasosError('closed', `the shell ${this.name} in ${core.backend.name} has been closed`, {
        backend: core.backend.name,
        operation: 'shell',
        remedy: 'Take a new one from the sandbox.',
      });
    }
    const number = this.#tries + 1;
    const slot = this.#free;
    const first = this.#loaded === undefined;
    const { result, note } = await admitted(
      core,
      'shell',
      command,
      { ...options, env: this.#options.env },
      async () => {
        this.#cwd ??= await resolveDirectory(core, this.#options.cwd);
        // The session enters its directory itself, so that a deleted one is no error; only the first must exist.
        return { note: `${await this.#directory()}/note.${slot}`, cwd: first ? this.#cwd : '/' };
      },
      async () => {
        this.#tries = number;
        this.#free = String(this.#slots++);
        return this.#program(command, await this.#directory(), slot, number);
      },
    );
    const saved = this.#accept(note, number, slot);
    if (saved && !(await core.runner.facts()).bash) {
      const { functionDefinitions } = await import('./function-definitions.js');
      for (const [name, text] of functionDefinitions(command)) this.#functions.set(name, text);
    }
    return this.#describe(result, saved);
  }

  #describe(result: ExecResult, saved: Saved | undefined): ShellResult {
    return Object.assign(Object.create(null, Object.getOwnPropertyDescriptors(result)) as ExecResult, {
      cwd: this.#cwd ?? this.#options.cwd ?? this.#core.driver.workdir ?? '~',
      restarted: saved?.restarted ?? false,
      cwdFallback: saved?.fallback,
    });
  }

  async #program(command: string, directory: string, slot: string, number: number): Promise<ScriptProgram> {
    const { bash } = await this.#core.runner.facts();
    const load = this.#loaded ?? '';
    const functions = bash ? '' : [[...this.#functions.keys()].join(' '), ...this.#functions.values()].join('\n');
    const args = [directory, load, slot, String(number), functions, this.#cwd ?? '/'];
    const text = bash ? sessionScripts.bash : sessionScripts.sh;
    const long = Buffer.byteLength(command) > argumentLimit;
    return { kind: 'script', text, args: long ? args : [...args, command], inCommandShell: true, piped: long ? command : undefined };
  }

  async #directory(): Promise<string> {
    return `${await this.#core.scratch()}/shell-${this.#id}`;
  }

  /** A command that was killed has left no note, or that of an older one: then the state before it stays. */
  #accept(note: string | undefined, number: number, slot: string): Saved | undefined {
    const [written, fresh, fallback = '-', cwd] = (note ?? '').split(' ');
    if (written !== String(number) || cwd === undefined) return undefined;
    this.#free = this.#loaded ?? this.#free;
    this.#loaded = slot;
    this.#cwd = decode(cwd);
    return { restarted: fresh === '1', fallback: fallback === '-' ? undefined : decode(fallback) };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#forget();
    await this.#queue;
    if (this.#tries > 0) await this.#core.operator.operate('rm -rf -- "$1"', [await this.#directory()]);
  }
}

function decode(text: string): string {
  const meanings: Readonly<Record<string, string>> = { n: '\n', s: ' ', '\\': '\\' };
  return text.replace(/\\(.)/g, (_all, letter: string) => meanings[letter] ?? letter);
}
