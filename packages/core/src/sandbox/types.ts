import type { Readable, Writable } from 'node:stream';
import type { AskSecret, Capabilities, CommandSignal, Ended, Gate, Placement, Progress, SandboxRef } from '../contract/index.js';
import type { Files } from '../files/types.js';

export type { FileInfo, FileKind, FileRange, Files, TransferOptions, TransferResult } from '../files/types.js';

export interface CommandOptions {
  /** Absolute, `~`, `~/…`, or relative to the sandbox's workdir. Every character is plain. */
  readonly cwd?: string | undefined;
  /** Variables for this command. Any value without NUL. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Wall clock in milliseconds, enforced where the command runs. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds without output. */
  readonly idleTimeoutMs?: number | undefined;
  /** Milliseconds between TERM and KILL; default 2000. */
  readonly graceMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CaptureOptions {
  /** Bytes kept of each stream in memory, 40 % head and 60 % tail; default 1 MiB. */
  readonly maxOutputBytes?: number | undefined;
  /** Directory for the spill file of an output that is longer; default a private directory under the temporary one. */
  readonly spillDirectory?: string | undefined;
  readonly onStdout?: ((chunk: Uint8Array) => void) | undefined;
  readonly onStderr?: ((chunk: Uint8Array) => void) | undefined;
}

export interface ExecOptions extends CommandOptions, CaptureOptions {
  /** Absent: the command reads an immediate end of file. */
  readonly stdin?: string | Uint8Array | Readable | undefined;
}

/** One captured stream. */
export interface CapturedOutput {
  /** The bytes kept: all of them, or head and tail with nothing between. */
  readonly bytes: Uint8Array;
  /** `bytes` as UTF-8; where something was cut, a line says how much. */
  readonly text: string;
  /** How many bytes the command wrote. */
  readonly totalBytes: number;
  /** How many bytes are missing from `bytes`. */
  readonly cutBytes: number;
  /** File with every byte (mode 0600), when something was cut. Its reader removes it. */
  readonly spillPath: string | undefined;
  /** Why the spill file is not whole, when the disk refused it. */
  readonly spillError: string | undefined;
}

export interface CommandEnd {
  readonly ended: Ended;
  /** Only when one was observed. */
  readonly exitCode: number | null;
  /** Name of the signal that ended the command, such as `SIGKILL`. */
  readonly signal: string | null;
  readonly durationMs: number;
}

export interface ExecResult extends CommandEnd {
  /** Decoded as UTF-8; head and tail with a notice between them when something was cut. */
  readonly stdout: string;
  readonly stderr: string;
  readonly output: { readonly stdout: CapturedOutput; readonly stderr: CapturedOutput };
}

export interface SpawnOptions extends CommandOptions {
  /** `pipe`: {@link Process.stdin} is live. Default: immediate end of file. */
  readonly stdin?: 'pipe' | 'none' | undefined;
}

/** A running command with live streams. Both must be read: a full one slows the command down. */
export interface Process {
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<CommandEnd>;
  /** Sends the signal to the whole process tree. `SIGTERM` by default. */
  kill(signal?: CommandSignal): Promise<void>;
}

export interface ShellOptions {
  /** Where the session starts. */
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface ShellExecOptions extends Omit<ExecOptions, 'cwd' | 'env'> {}

export interface ShellResult extends ExecResult {
  /** The session's directory after the command; as it was asked for where none of its commands could be started yet. */
  readonly cwd: string;
  /** The session's own process had to be replaced before this command; cwd and exported variables were kept. */
  readonly restarted: boolean;
  /** The session's directory was gone: the command ran in this ancestor instead. */
  readonly cwdFallback: string | undefined;
}

/** A stateful session: cwd, variables, functions, aliases, options and umask go from command to command. */
export interface Shell {
  readonly name: string;
  exec(command: string, options?: ShellExecOptions): Promise<ShellResult>;
  close(): Promise<void>;
}

export interface JobStartOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** `open`: {@link Jobs.write} feeds it until {@link Jobs.closeInput}. Default: immediate end of file. */
  readonly stdin?: 'open' | 'none' | undefined;
  /** Wall clock in milliseconds, enforced in the place. */
  readonly timeoutMs?: number | undefined;
  readonly graceMs?: number | undefined;
  /** Bytes of output kept on disk, each stream; default 64 MiB. The oldest go first. */
  readonly maxOutputBytes?: number | undefined;
}

export interface JobInfo {
  readonly id: string;
  readonly command: string;
  readonly state: 'running' | 'exited' | 'signaled' | 'timed-out' | 'lost';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly pid: number | null;
  readonly startedAt: Date;
  readonly endedAt: Date | undefined;
}

export interface JobOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
  /** Offset of the first byte of `bytes`; greater than the one asked for when older output was dropped. */
  readonly from: number;
  /** Where to read on. */
  readonly next: number;
  /** Bytes before `from` that were asked for and are gone. */
  readonly droppedBytes: number;
  /** The job is over and nothing follows `next`. */
  readonly end: boolean;
}

export interface JobWaitOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Detached commands that survive the client. Another process reads them by id. */
export interface Jobs {
  start(command: string, options?: JobStartOptions): Promise<JobInfo>;
  get(id: string): Promise<JobInfo>;
  list(): Promise<readonly JobInfo[]>;
  output(
    id: string,
    options?: {
      readonly from?: number | undefined;
      readonly stream?: 'stdout' | 'stderr' | undefined;
      readonly maxBytes?: number | undefined;
    },
  ): Promise<JobOutput>;
  /** Resolves when the job is over, or with its running state when `timeoutMs` has passed. */
  wait(id: string, options?: JobWaitOptions): Promise<JobInfo>;
  /** Sends the signal to the job's whole tree; with SIGTERM, KILL follows after the grace period. */
  kill(id: string, signal?: CommandSignal): Promise<JobInfo>;
  /** Input travels in whole lines, each judged before it is sent; what follows the last newline waits for the rest, or for {@link closeInput}. */
  write(id: string, data: string | Uint8Array): Promise<void>;
  closeInput(id: string): Promise<void>;
  /** Removes a finished job's record and output. */
  remove(id: string): Promise<void>;
}

export interface Terminal {
  readonly input: Writable;
  readonly output: Readable;
  readonly exited: Promise<CommandEnd>;
  resize(columns: number, rows: number): void;
  kill(): void;
}

export interface TerminalOptions {
  /** Default: the place's login shell for a person. */
  readonly command?: string | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface Forward {
  readonly address: string;
  close(): Promise<void>;
}

export interface InitFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly mode?: number | undefined;
}

export interface OpenOptions {
  /** The same name gives the same sandbox, also from another process. Absent: a new one with a random name. */
  readonly name?: string | undefined;
  /** The backend's own options; validated by its schema. */
  readonly options?: unknown;
  /** A snapshot id to start from. */
  readonly from?: string | undefined;
  /** Runs once, when the sandbox is created. A failure leaves nothing behind. */
  readonly init?: { readonly files?: readonly InitFile[] | undefined; readonly commands?: readonly string[] | undefined } | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Where commands start. */
  readonly workdir?: string | undefined;
  /** Default 300 000. */
  readonly idleLimitMs?: number | undefined;
  readonly lifetimeMs?: number | undefined;
  /** Variables for every command of this sandbox. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Names of host variables to forward besides the allowlist. Credentials are refused. */
  readonly envPassthrough?: readonly string[] | undefined;
  /** Names of credentials to forward all the same, each by name. */
  readonly envForce?: readonly string[] | undefined;
  /** Environment of the process that runs Petasos; default `process.env`. */
  readonly hostEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** Asks a person for what a backend needs and nobody may see, such as the passphrase of a key. Absent: nobody can be asked. */
  readonly askSecret?: AskSecret | undefined;
  /** Stands before every command text. Default: the approval layer with nobody to ask. */
  readonly gate?: Gate | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
}

/** One live place where commands run. */
export interface Sandbox extends AsyncDisposable {
  readonly id: string;
  readonly name: string;
  readonly backend: string;
  readonly ref: SandboxRef;
  readonly capabilities: Capabilities;
  readonly origin: 'created' | 'attached' | 'restored';
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  spawn(command: string, options?: SpawnOptions): Promise<Process>;
  /** The session of this name; made on first use. */
  shell(name?: string, options?: ShellOptions): Shell;
  readonly jobs: Jobs;
  readonly files: Files;
  placement(): Promise<Placement>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** An id for `open({ from })`. */
  snapshot(): Promise<string>;
  terminal(options?: TerminalOptions): Promise<Terminal>;
  forward(port: number): Promise<Forward>;
  /** Moves the end of the sandbox's life away. */
  extend(ms: number): Promise<void>;
  /**
   * Lets go; the sandbox lives on, and its jobs do. What is under way ends: a command's result says `aborted`, all else rejects with
   * `closed`. After {@link destroy} both say `destroyed`.
   */
  close(): Promise<void>;
  /** Removes it and all it left anywhere. */
  destroy(): Promise<void>;
  /** What `await using` does: `destroy` for a sandbox without a name, `close` for a named one. */
  [Symbol.asyncDispose](): Promise<void>;
}
