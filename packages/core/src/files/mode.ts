import { fileError, type Subject } from './errors.js';

/** The mode as chmod reads it; empty when none was given. */
export function octal(subject: Subject, mode: number | undefined): string {
  if (mode === undefined) return '';
  if (Number.isInteger(mode) && mode >= 0 && mode <= 0o7777) return mode.toString(8);
  throw fileError('invalid-request', subject, `was given the mode ${mode}`, 'Give permission bits between 0 and 0o7777, such as 0o644.');
}
