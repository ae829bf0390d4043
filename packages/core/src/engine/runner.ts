import type { Readable, Writable } from 'node:stream';
import type { CommandSignal, Ended } from '../contract/index.js';

/** What to run: a user's command text, or one of the engine's own scripts with arguments (never interpolated). */
export type Program =
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'script'; readonly text: string; readonly args: readonly string[] };

export interface RunRequest {
  readonly program: Program;
  /** Absolute, or starting with `~`; absent: where the place starts a process. */
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Bytes are delivered and followed by end of file; `stream` gives {@link Running.stdin}. */
  readonly stdin: 'none' | 'stream' | Uint8Array;
  readonly timeoutMs?: number | undefined;
  readonly graceMs: number;
  /** Aborting before the start runs nothing. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunEnd {
  readonly ended: Extract<Ended, 'exited' | 'signaled' | 'disconnected' | 'destroyed' | 'out-of-memory'>;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A command that has started. Both streams must be read; a full one slows the command down. */
export interface Running {
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the foreground command is over and its own output has been pushed to the streams. Never rejects. */
  readonly ended: Promise<RunEnd>;
  /** Signals the whole tree. Resolves when the signal has been handed over, not when it has had its effect. */
  kill(signal: CommandSignal): Promise<void>;
}

/** Runs commands in one sandbox on nothing but the driver's `spawn`. */
export interface Runner {
  run(request: RunRequest): Promise<Running>;
  close(): Promise<void>;
}
