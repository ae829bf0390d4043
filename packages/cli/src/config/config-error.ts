import { CliError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';

/** Something in the configuration is wrong; the message starts with where it stands. */
export function configError(message: string, remedy?: string, cause?: unknown): CliError {
  return new CliError(message, { status: exitStatus.usage, code: 'invalid-config', remedy, cause });
}
