import { createHash } from 'node:crypto';
import type { Placement } from '../../contract/placement.js';
import type { Assessment, Unit } from '../policy/assessment.js';
import { relevantEnvironment } from '../policy/harmless-environment.js';
import { isCarrier } from '../policy/programs.js';
import { redact } from '../record/redact.js';

/** Where an answer holds: another machine, image, user or sandbox is another place. */
export interface PlaceIdentity {
  readonly backend: string;
  readonly sandbox: string;
  readonly machine: string;
  readonly user: string;
}

/**
 * Exactly what an answer is about. It is built from resolved words, so that blanks and quotes make no difference, and it
 * names everything that could make the same words do something else.
 */
export interface ApprovalSubject {
  readonly place: PlaceIdentity;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: readonly (readonly [name: string, value: string])[];
  readonly writes: readonly string[];
  /** How the command is reached, and every word of what it is wrapped in: `sudo`, `ssh host`, a shell. */
  readonly via: readonly string[];
  readonly wrappers: readonly (readonly string[])[];
  readonly rules: readonly string[];
  readonly scripts: readonly string[];
  /** SHA-256 of the whole text where words alone do not say what runs. */
  readonly text: string | null;
}

export interface Memorable {
  readonly subject: ApprovalSubject;
  /** The answer may be stored beyond the session. */
  readonly durable: boolean;
}

export function placeIdentity(placement: Placement, sandbox: { readonly backend: string; readonly name: string }): PlaceIdentity {
  // The name of a container changes with each one; its image says what it is.
  const own = placement.isolation === 'none' || placement.isolation === 'remote-host';
  return {
    backend: sandbox.backend,
    sandbox: sandbox.name,
    machine: own ? placement.machine.name : (placement.machine.image ?? placement.machine.os),
    user: placement.user.name,
  };
}

/** What an answer about this command could be remembered as; undefined when a part of it is not known. */
export function memorable(unit: Unit, assessment: Assessment, place: PlaceIdentity, text: string): Memorable | undefined {
  const { command } = unit;
  const env = relevantEnvironment(command.env);
  const wrappers = command.via.length === 0 ? [] : assessment.judgement.commands.filter((other) => other.wrapper);
  const known =
    command.static &&
    command.cwd !== undefined &&
    env.every((change) => change.value !== undefined) &&
    command.writes.every((file) => !file.includes('…')) &&
    wrappers.every((wrapper) => wrapper.static);
  if (!known || command.cwd === undefined) return undefined;
  const argv = command.argv.map((word) => word.text);
  const durable =
    command.durable &&
    !command.wrapper &&
    command.via.length === 0 &&
    env.length === 0 &&
    unit.scripts.length === 0 &&
    unit.findings.every((finding) => finding.durable) &&
    !isCarrier(argv[0] ?? '') &&
    argv.length > (argv[0] === 'git' ? 1 : 0) &&
    !argv.some((word) => word === '-' || word.startsWith('/dev/stdin') || word.startsWith('/dev/fd/')) &&
    // The file would hold the secret.
    redact(argv.join(' ')) === argv.join(' ');
  const subject: ApprovalSubject = {
    place: { backend: place.backend, sandbox: place.sandbox, machine: place.machine, user: place.user },
    argv,
    cwd: command.cwd,
    env: env.map((change) => [change.name, change.value ?? ''] as const),
    writes: command.writes.filter((file) => file !== '/dev/null').sort(),
    via: [...command.via],
    wrappers: wrappers.map((wrapper) => wrapper.argv.map((word) => word.text)),
    rules: [...new Set(unit.findings.map((finding) => finding.rule))].sort(),
    scripts: [...unit.scripts],
    text: durable ? null : sha256(text),
  };
  return { subject, durable };
}

/** The id of a subject: two have the same only when every part is equal. */
export function subjectId(subject: ApprovalSubject): string {
  const { place } = subject;
  return sha256(
    JSON.stringify([
      [place.backend, place.sandbox, place.machine, place.user],
      subject.argv,
      subject.cwd,
      subject.env,
      subject.writes,
      subject.via,
      subject.wrappers,
      subject.rules,
      subject.scripts,
      subject.text,
    ]),
  );
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
