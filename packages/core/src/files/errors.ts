import { PetasosError, type PetasosErrorCode } from '../contract/index.js';
import type { ScriptEnd } from './place.js';
import { meaningOf } from './status.js';

/** Where an error belongs: which operation, on which path, in which place. */
export interface Subject {
  readonly backend: string;
  /** Such as `files.read`. */
  readonly operation: string;
  readonly path: string;
}

/** Quoted so that spaces, newlines and control characters show. */
export function quoted(path: string): string {
  return JSON.stringify(path);
}

export function fileError(code: PetasosErrorCode, subject: Subject, what: string, remedy: string, cause?: unknown): PetasosError {
  return new PetasosError(code, `${quoted(subject.path)} ${what}`, {
    backend: subject.backend,
    operation: subject.operation,
    remedy,
    data: { path: subject.path },
    ...(cause === undefined ? {} : { cause }),
  });
}

export function abortedError(subject: Subject, cause?: unknown): PetasosError {
  return fileError(
    'aborted',
    subject,
    'was given up: the caller aborted or let go of the sandbox',
    'Start it again when it is wanted.',
    cause,
  );
}

/** The error for a script that did not end with status 0, or undefined when it did. `said` is what it wrote to stderr. */
export function endError(end: ScriptEnd, subject: Subject, said: string): PetasosError | undefined {
  if (end.ended === 'exited' && end.exitCode === 0) return undefined;
  if (end.ended === 'aborted') return abortedError(subject);
  const detail = said.trim();
  const details = {
    backend: subject.backend,
    operation: subject.operation,
    data: { path: subject.path, ...(detail === '' ? {} : { detail }) },
  };
  if (end.ended === 'disconnected' || end.ended === 'destroyed') {
    const what = end.ended === 'destroyed' ? 'the place is gone' : 'the connection to the place was lost';
    return new PetasosError(end.ended, `${subject.operation} of ${quoted(subject.path)}: ${what}`, {
      ...details,
      retryable: end.ended === 'disconnected',
      remedy: end.ended === 'destroyed' ? 'Open the sandbox again.' : 'Try again when the place can be reached.',
    });
  }
  const meaning = end.exitCode === null ? undefined : meaningOf(end.exitCode);
  if (meaning !== undefined) {
    return new PetasosError(meaning.code, `${quoted(subject.path)} ${meaning.what}`, { ...details, remedy: meaning.remedy });
  }
  const how = end.exitCode === null ? `was ended by ${end.signal ?? end.ended}` : `ended with status ${end.exitCode}`;
  return new PetasosError('place-failed', `${subject.operation} of ${quoted(subject.path)} ${how}`, {
    ...details,
    remedy: 'Look at data.detail for what the place said, and at the memory and limits of the place.',
  });
}
