import type { Placement } from './placement.js';

/** What carries a command text towards the place. */
export type GateOperation = 'exec' | 'spawn' | 'shell' | 'job' | 'job-input' | 'terminal' | 'terminal-input' | 'init';

export interface GateRequest {
  readonly operation: GateOperation;
  /** The text exactly as the place's shell would read it. */
  readonly command: string;
  readonly cwd: string | undefined;
  /** Variables that the caller sets for this command, with their values: some of them execute code (`LD_PRELOAD`). */
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: { readonly backend: string; readonly id: string; readonly name: string };
  /** What the caller gives the command to read; `text` is undefined for a stream. Absent: it reads end of file. */
  readonly stdin?: { readonly text: string | undefined } | undefined;
  /**
   * With `job-input` and `terminal-input`: the command that reads `command`, and what it was sent before. The newest
   * 32 KiB of that are enough. Absent: the text is judged as one for a shell.
   */
  readonly reader?: { readonly command: string; readonly earlier: string } | undefined;
  placement(): Promise<Placement>;
  /** Reads a file of the sandbox, at most `maxBytes`; undefined when it cannot be read. For scripts that a command runs. */
  readFile(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
  readonly signal?: AbortSignal | undefined;
}

/** How a judged command ended; reported so that the record is whole. */
export interface GateOutcome {
  readonly ended: string;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Failed authentications that a `SudoFailureDetector` saw, when the pass asked for one. */
  readonly sudoFailures?: number | undefined;
}

/** A permission to run one command. Its holder reports the end exactly once. */
export interface GatePass {
  /** True: the command authenticates, and its stderr should be shown to a `SudoFailureDetector`. */
  readonly watchSudo?: boolean | undefined;
  ended(outcome: GateOutcome): void;
}

/** Stands in front of every command text. Nothing reaches a driver without its pass. */
export interface Gate {
  /** Resolves with a pass, or rejects with `not-approved` (or `aborted`). Silence is not consent. */
  admit(request: GateRequest): Promise<GatePass>;
}
