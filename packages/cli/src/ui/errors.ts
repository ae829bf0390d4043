import { exitStatus } from './exit-status.js';

export interface CliErrorDetails {
  /** What a person can do about it: a sentence. */
  readonly remedy?: string | undefined;
  readonly status?: number | undefined;
  /** Stable, for `--json`. */
  readonly code?: string | undefined;
  readonly cause?: unknown;
}

/** A failure that the CLI itself found. What the place reports is a `PetasosError` of core. */
export class CliError extends Error {
  readonly remedy: string | undefined;
  readonly status: number;
  readonly code: string;

  constructor(message: string, details: CliErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.remedy = details.remedy;
    this.status = details.status ?? exitStatus.failed;
    this.code = details.code ?? 'failed';
  }
}

/** The command line was wrong; nothing was done. */
export class UsageError extends CliError {
  constructor(message: string, remedy?: string) {
    super(message, { remedy, status: exitStatus.usage, code: 'usage' });
  }
}
