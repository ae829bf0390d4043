import type { Readable, Writable } from 'node:stream';
import type { DriverPlacement } from './placement.js';

/** Names one sandbox of one backend. JSON only: another process may attach from it. Never holds a secret. */
export interface SandboxRef {
  readonly backend: string;
  /** Unique within the backend; letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  readonly name: string;
  /** Whatever else the backend needs to find it again. */
  readonly data?: Readonly<Record<string, string | number | boolean>> | undefined;
}

export interface SpawnRequest {
  /** Program and arguments, passed on word for word: no shell of the driver's may look at them. Never holds a secret. */
  readonly argv: readonly [string, ...string[]];
  /** Whether the process gets a live stdin. When false it reads an immediate end of file. */
  readonly stdin: boolean;
  /**
   * Variables for this process, on top of the place's own. Used only for drivers whose stdin is `file`: it is then the
   * private channel for data, so values must not turn up in an argument list or a log.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** One process in the place, as the driver sees it. */
export interface DriverProcess {
  /** Present exactly when the request asked for stdin and the driver declares `stdin: 'stream'`. */
  readonly stdin: Writable | undefined;
  /** With `streams: 'merged'` everything arrives here and {@link stderr} is undefined. Pausing it must slow the process. */
  readonly stdout: Readable;
  readonly stderr: Readable | undefined;
  /**
   * Settles when the process has ended or can no longer be observed. Rejects only when the place failed; the error then
   * has the code `disconnected` or `destroyed`.
   */
  readonly exited: Promise<DriverExit>;
  /** Ends the process and lets go of its streams. The engine ends process trees itself; this is the last resort. */
  kill(): void;
}

/** `exitCode` is null when none was observed. A code is never invented. */
export interface DriverExit {
  readonly exitCode: number | null;
  readonly signal?: string | null | undefined;
}

export type SandboxState = 'running' | 'paused' | 'stopped' | 'gone';

/** The handle of one live sandbox. `spawn` is the one power that every place must have; the engine derives the rest. */
export interface Driver {
  readonly ref: SandboxRef;
  /**
   * With `attach`: the place had ended and goes on from a snapshot of its own. Its files are there, what ran in it is not. Reported as the
   * origin `restored`.
   */
  readonly restored?: boolean | undefined;
  placement(): Promise<DriverPlacement>;
  spawn(request: SpawnRequest): Promise<DriverProcess>;
  /** Lets go of the connection; the sandbox lives on. Idempotent. */
  close(): Promise<void>;
  /**
   * Directory for the engine's own files inside the place, absolute. Without it the engine uses a private directory
   * under the place's temporary directory.
   */
  readonly scratch?: string | undefined;
  /** Directory where commands start; without it, the directory where the place starts a process. */
  readonly workdir?: string | undefined;
  /**
   * The place goes on sending, tens of MiB, what nobody reads: not reading does not slow a process. The engine then halts a command whose
   * reader rests.
   */
  readonly outputRunsAhead?: boolean | undefined;
  /** How many processes may live at once; without it, any number. SSH's `MaxSessions` is such a limit. */
  readonly maxProcesses?: number | undefined;
  /**
   * Whether the place is still there. Asked every two seconds while a command runs, and after a stream ended without a
   * status; it must answer within a few seconds or reject.
   */
  state?(): Promise<SandboxState>;
  /** Why a process was killed, where the place knows: an out-of-memory kill looks like any other SIGKILL. */
  explainKill?(): Promise<'out-of-memory' | undefined>;
  /** A function where only a look at the place tells what it has; it is asked before each operation. */
  readonly files?: DriverFiles | (() => Promise<DriverFiles | undefined>) | undefined;
  pause?(): Promise<void>;
  resume?(): Promise<void>;
  snapshot?(): Promise<string>;
  terminal?(request: TerminalRequest): Promise<DriverTerminal>;
  forward?(port: number): Promise<DriverForward>;
  /** Moves the end of the sandbox's life away by this many milliseconds. */
  extend?(ms: number): Promise<void>;
}

/** Native file powers. Every path is absolute. Errors carry the `file-*` codes or `no-space`. */
export interface DriverFiles {
  /** `length` absent: to the end of the file. */
  read?(path: string, range: { readonly offset: number; readonly length?: number | undefined }): Promise<Readable>;
  /** Writes exactly the stream's bytes to `path`, which does not exist yet; the engine renames it afterwards. */
  write?(path: string, content: Readable, mode: number): Promise<void>;
  /** Unpacks a tar stream below `path`, which exists. */
  uploadTar?(path: string, archive: Readable): Promise<void>;
  /** Packs the tree at `path`; entry names are relative to it. */
  downloadTar?(path: string): Promise<Readable>;
}

export interface TerminalRequest {
  readonly argv: readonly [string, ...string[]];
  readonly columns: number;
  readonly rows: number;
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

export interface DriverTerminal {
  readonly input: Writable;
  readonly output: Readable;
  readonly exited: Promise<DriverExit>;
  resize(columns: number, rows: number): void;
  kill(): void;
}

export interface DriverForward {
  /** Where the port answers from here: `http://…` for `url`, `host:port` for `tcp`. */
  readonly address: string;
  close(): Promise<void>;
}
