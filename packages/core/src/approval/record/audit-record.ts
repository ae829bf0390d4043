import type { GateOperation } from '../../contract/gate.js';
import type { Reach, Verdict } from '../verdict.js';

/** What settled a command: `nobody` = there was nobody to ask. */
export type DecidedBy =
  | 'judge'
  | 'rule'
  | 'mode'
  | 'ledger'
  | 'approver'
  | 'nobody'
  | 'timeout'
  | 'breaker'
  | 'sudo-guard'
  | 'script-changed'
  | 'failure';

export interface RecordedFinding {
  readonly rule: string;
  readonly severity: Verdict;
  readonly reach: Reach;
  readonly reason: string;
}

export interface RecordedAnswer {
  readonly choice: 'once' | 'session' | 'always' | 'deny';
  /** Who answered, as the approver named itself. */
  readonly by: string;
  readonly reason?: string | undefined;
  readonly waitedMs: number;
}

/** Written before a command runs, or when it is refused. */
export interface DecisionRecord {
  readonly kind: 'decision';
  /** Joins the decision and the end of one command. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly operation: GateOperation;
  readonly place: {
    readonly backend: string;
    readonly sandbox: string;
    readonly name: string;
    readonly machine: string;
    readonly user: string;
  };
  readonly cwd: string;
  /** Secrets redacted; cut when it is long. */
  readonly command: string;
  /** Length of the text in UTF-16 code units, before redaction and cutting. */
  readonly commandLength: number;
  /** Names of the variables that the caller set. */
  readonly env: readonly string[];
  /** What the judge said, before rules, mode and answers. */
  readonly verdict: Verdict;
  readonly findings: readonly RecordedFinding[];
  readonly outcome: 'allowed' | 'denied' | 'aborted';
  readonly by: DecidedBy;
  readonly answer?: RecordedAnswer | undefined;
}

/** Written when a command that was allowed is over. */
export interface EndRecord {
  readonly kind: 'end';
  readonly id: string;
  readonly time: string;
  readonly ended: string;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Duration times the backend's price, where it has one: an estimate, not a bill. */
  readonly costUsd?: number | undefined;
}

/** A record from a line of the file, or what is wrong with the line. */
export function parseRecord(line: string): DecisionRecord | EndRecord | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'is not valid JSON';
  }
  if (isEnd(value)) return value;
  if (isDecision(value)) return value;
  return 'is not a record of a decision or of an end';
}

function isEnd(value: unknown): value is EndRecord {
  const fields = kindOf(value, 'end');
  return (
    fields !== undefined &&
    typeof fields['ended'] === 'string' &&
    ['durationMs', 'stdoutBytes', 'stderrBytes'].every((key) => typeof fields[key] === 'number')
  );
}

function isDecision(value: unknown): value is DecisionRecord {
  const fields = kindOf(value, 'decision');
  const place = fields?.['place'];
  return (
    fields !== undefined &&
    ['operation', 'cwd', 'command', 'verdict', 'outcome', 'by'].every((key) => typeof fields[key] === 'string') &&
    Array.isArray(fields['findings']) &&
    Array.isArray(fields['env']) &&
    typeof place === 'object' &&
    place !== null
  );
}

function kindOf(value: unknown, kind: string): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(value));
  if (fields['kind'] !== kind || typeof fields['id'] !== 'string' || typeof fields['time'] !== 'string') return undefined;
  return Number.isNaN(Date.parse(fields['time'])) ? undefined : fields;
}
