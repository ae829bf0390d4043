import type { GateOutcome, GateRequest } from '../../contract/gate.js';
import type { Placement } from '../../contract/placement.js';
import type { Decision } from '../policy/policy.js';
import type { Audit } from '../record/audit.js';
import type { DecidedBy, DecisionRecord, RecordedAnswer } from '../record/audit-record.js';
import type { Redactor } from '../record/redact.js';
import type { Verdict } from '../verdict.js';
import type { Refusal } from './refusal.js';

/** How a request was settled; without a refusal it may run. */
export interface Settlement {
  readonly by: DecidedBy;
  readonly refusal?: Refusal | undefined;
  readonly answer?: RecordedAnswer | undefined;
}

export interface CommandRecordOptions {
  readonly id: string;
  readonly request: GateRequest;
  readonly place: Placement;
  readonly cwd: string;
  readonly verdict: Verdict;
  readonly audit: Audit | undefined;
  readonly redact: Redactor;
  readonly clock: () => number;
}

/** Redaction looks at this much of a text; the record keeps less, so that no secret is cut in two and half of it kept. */
const mostRedacted = 64 * 1024;
const mostKept = 16 * 1024;
const mostFindings = 20;

/** Writes one command's lines into the record. */
export class CommandRecord {
  constructor(private readonly options: CommandRecordOptions) {}

  get shortCommand(): string {
    return this.#command().slice(0, 200);
  }

  write(decision: Decision, settlement: Settlement, outcome?: DecisionRecord['outcome']): void {
    const { id, request, place, cwd, verdict, audit, redact } = this.options;
    if (audit === undefined) return;
    const { answer } = settlement;
    audit.write({
      kind: 'decision',
      id,
      time: this.#now(),
      operation: request.operation,
      place: {
        backend: request.sandbox.backend,
        sandbox: request.sandbox.id,
        name: request.sandbox.name,
        machine: place.machine.name,
        user: place.user.name,
      },
      cwd: redact(cwd),
      command: this.#command(),
      commandLength: request.command.length,
      env: Object.keys(request.env),
      verdict,
      findings: decision.findings
        .slice(0, mostFindings)
        .map(({ rule, severity, reach, reason }) => ({ rule, severity, reach, reason: redact(reason) })),
      outcome: outcome ?? (settlement.refusal === undefined ? 'allowed' : 'denied'),
      by: settlement.by,
      ...(answer === undefined ? {} : { answer: answer.reason === undefined ? answer : { ...answer, reason: redact(answer.reason) } }),
    });
  }

  end(outcome: GateOutcome): void {
    const { id, place, audit } = this.options;
    const { perHourUsd } = place.cost;
    audit?.write({
      kind: 'end',
      id,
      time: this.#now(),
      ended: outcome.ended,
      exitCode: outcome.exitCode,
      durationMs: Math.round(outcome.durationMs),
      stdoutBytes: outcome.stdoutBytes,
      stderrBytes: outcome.stderrBytes,
      ...(perHourUsd === undefined ? {} : { costUsd: (perHourUsd * outcome.durationMs) / 3_600_000 }),
    });
  }

  #command(): string {
    const { request, redact } = this.options;
    const text = redact(request.command.slice(0, mostRedacted));
    return text.length > mostKept ? `${text.slice(0, mostKept)}…` : text;
  }

  #now(): string {
    return new Date(this.options.clock()).toISOString();
  }
}
