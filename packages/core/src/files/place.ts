import { randomBytes } from 'node:crypto';
import type { Capabilities, DriverFiles, Ended } from '../contract/index.js';
import type { Running, RunRequest } from '../engine/runner.js';

export interface ScriptEnd {
  readonly ended: Ended;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Runs scripts: an engine's runner by itself, or one that also watches whether the place is still there. */
export interface ScriptRunner {
  run(request: RunRequest): Promise<Omit<Running, 'ended'> & { readonly ended: Promise<ScriptEnd> }>;
}

/** What the file operations stand on. */
export interface FilesPlace {
  readonly runner: ScriptRunner;
  /** Native powers; each replaces the derived path where it is present. */
  readonly driverFiles?: DriverFiles | (() => Promise<DriverFiles | undefined>) | undefined;
  readonly capabilities: Capabilities;
  readonly backend: string;
  /** Absolute directory that relative paths start from. */
  workdir(): Promise<string>;
  home(): Promise<string>;
  /** Resumes a paused place; called before every operation. */
  wake?(): Promise<void>;
  /** Runs a driver's own transfer, which no runner watches over. */
  hold<Result>(transfer: Held<Result>): Promise<Result>;
}

/**
 * A transfer that ends when `ending` aborts: its place is let go of, which waits for it. What is to be put in order then goes through
 * `last`, the one runner that still takes something.
 */
export type Held<Result> = (ending: AbortSignal, last: ScriptRunner) => Promise<Result>;

/** A short name that nothing has: it hides from plain listings and says whose it is. */
export function temporaryName(): string {
  return `.petasos-${randomBytes(8).toString('hex')}`;
}
