import { randomBytes } from 'node:crypto';
import type { Capabilities, DriverFiles } from '../contract/index.js';
import type { Runner } from '../engine/runner.js';

/** What the file operations stand on. */
export interface FilesPlace {
  readonly runner: Pick<Runner, 'run'>;
  /** Native powers; each replaces the derived path where it is present. */
  readonly driverFiles?: DriverFiles | undefined;
  readonly capabilities: Capabilities;
  readonly backend: string;
  /** Absolute directory that relative paths start from. */
  workdir(): Promise<string>;
  home(): Promise<string>;
  /** Resumes a paused place; called before every operation. */
  wake?(): Promise<void>;
}

/** A short name that nothing has: it hides from plain listings and says whose it is. */
export function temporaryName(): string {
  return `.petasos-${randomBytes(8).toString('hex')}`;
}
