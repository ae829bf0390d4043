import type { Readable, Writable } from 'node:stream';
import type { CommandSignal, Ended } from '../contract/index.js';

/** What to run: a user's command text, or one of the engine's own scripts with arguments (never interpolated). */
export type Program = { readonly kind: 'command'; readonly text: string } | ScriptProgram;

export interface ScriptProgram {
  readonly kind: 'script';
  readonly text: string;
  readonly args: readonly string[];
  /** Run by the shell that runs commands, instead of `/bin/sh`. */
  readonly inCommandShell?: boolean | undefined;
  /** Text for descriptor 3, for what is too long for an argument. */
  readonly piped?: string | undefined;
}

export interface RunRequest {
  readonly program: Program;
  /** Absolute; absent: where the place starts a process. */
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Bytes are delivered and followed by end of file; `stream` gives {@link Running.stdin}. */
  readonly stdin: 'none' | 'stream' | Uint8Array;
  readonly timeoutMs?: number | undefined;
  /** Kept by whoever watches over the command; a start that waits for output waits for much less. */
  readonly idleTimeoutMs?: number | undefined;
  /** Whether {@link Running.started} must settle before there is output; costs the command a few microseconds. */
  readonly acknowledge?: boolean | undefined;
  /** A file in the place whose first line comes back with the end; written by the program. */
  readonly note?: string | undefined;
  readonly graceMs: number;
  /** Aborting before the start runs nothing. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunEnd {
  readonly ended: Extract<Ended, 'exited' | 'signaled' | 'disconnected' | 'destroyed' | 'out-of-memory'>;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** First line of the request's note file. */
  readonly note?: string | undefined;
}

/** A command that has started. Both streams must be read; a full one slows the command down. */
export interface Running {
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the foreground command is over and its own output has been pushed to the streams. Never rejects. */
  readonly ended: Promise<RunEnd>;
  /** Resolves when the command has started; rejects with the typed error when its directory cannot be entered. */
  readonly started: Promise<void>;
  /** Signals the whole tree. Resolves when the signal has been handed over, not when it has had its effect. */
  kill(signal: CommandSignal): Promise<void>;
  /** TERM to the whole tree, KILL after the grace period. Resolves when nothing of it is left, or nothing more can be done. */
  terminate(graceMs: number): Promise<void>;
  /** Stops waiting for a place that no longer answers: the streams end and {@link ended} settles with this. */
  abandon(ended: 'disconnected' | 'destroyed'): void;
}

/** What a place says about itself. */
export interface PlaceFacts {
  /** Path of bash, null where there is none. */
  readonly bash: string | null;
  readonly uid: number | null;
  /** Where the place starts a process. */
  readonly directory: string;
  readonly home: string;
}

/** Runs commands in one sandbox on nothing but the driver's `spawn`. */
export interface Runner {
  run(request: RunRequest): Promise<Running>;
  /** What the place said about itself; opens a connection when there is none. */
  facts(): Promise<PlaceFacts>;
  close(): Promise<void>;
}
