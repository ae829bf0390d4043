import path from 'node:path';
import type { Gate } from '../contract/gate.js';
import type { Approver } from './gate/approver.js';
import { createGate } from './gate/gate.js';
import { judge as judgeCommand } from './judge.js';
import { type Breaker, createBreaker } from './memory/breaker.js';
import { createLedger, type Ledger } from './memory/ledger.js';
import { createSudoGuard, type SudoGuard } from './memory/sudo-guard.js';
import { createDirectoryTally, createMemoryTally } from './memory/tally.js';
import type { ApprovalMode } from './policy/modes.js';
import { type Audit, createAudit } from './record/audit.js';
import { createRedactor, secretValues } from './record/redact.js';
import type { Judge } from './rules/examples.js';
import type { RuleSet } from './rules/rule.js';

export interface ApprovalsOptions {
  /** Default `manual`. */
  readonly mode?: ApprovalMode | undefined;
  /** Rule sets from {@link loadRules}, in any order: the strictest rule counts. */
  readonly rules?: readonly RuleSet[] | undefined;
  /** Absent: what would be asked is denied. */
  readonly approver?: Approver | undefined;
  /** Where `always`, the breaker and the record are kept. Absent: in memory, and nothing is recorded. */
  readonly stateDirectory?: string | undefined;
  /** Further absolute paths that no command may write, such as configuration and rule files. */
  readonly protectedPaths?: readonly string[] | undefined;
  /** Milliseconds in which an approver's answer counts; default 300 000. */
  readonly timeoutMs?: number | undefined;
  /** What denials in a row are counted for: each sandbox (the default), or all of one backend. */
  readonly countedFor?: 'sandbox' | 'backend' | undefined;
  /** Whose secret-looking values are redacted wherever they appear; default `process.env`. */
  readonly hostEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** `false` records nothing although there is a state directory. */
  readonly record?: boolean | undefined;
  readonly judge?: Judge | undefined;
  readonly clock?: (() => number) | undefined;
  /** Told about what cannot be reported otherwise; default a process warning. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The approval layer, put together. */
export interface Approvals {
  readonly gate: Gate;
  readonly ledger: Ledger;
  readonly breaker: Breaker;
  readonly sudoGuard: SudoGuard;
  /** Absent when nothing is recorded. */
  readonly audit: Audit | undefined;
}

export interface ApprovalState extends Omit<Approvals, 'gate'> {
  readonly directory: string;
}

/** What approvals keep in a state directory; for looking at it and changing it without a gate. */
export function openApprovalState(stateDirectory: string, clock: () => number = Date.now): ApprovalState {
  const inside = (name: string) => path.join(stateDirectory, name);
  return {
    directory: stateDirectory,
    ledger: createLedger({ directory: inside('approvals'), clock }),
    breaker: createBreaker(createDirectoryTally(inside('breaker'))),
    sudoGuard: createSudoGuard(createDirectoryTally(inside('sudo')), clock),
    audit: createAudit({ directory: inside('audit'), clock }),
  };
}

/** The gate for {@link OpenOptions.gate}, with its memory and its record. */
export function createApprovals(options: ApprovalsOptions = {}): Approvals {
  const { stateDirectory, clock = Date.now, judge = judgeCommand } = options;
  const state =
    stateDirectory === undefined
      ? {
          ledger: createLedger({ clock }),
          breaker: createBreaker(createMemoryTally()),
          sudoGuard: createSudoGuard(createMemoryTally(), clock),
          audit: undefined,
        }
      : openApprovalState(path.resolve(stateDirectory), clock);
  const audit = options.record === false ? undefined : state.audit;
  const gate = createGate({
    judge,
    mode: options.mode,
    rules: options.rules?.flatMap((set) => set.rules),
    approver: options.approver,
    ledger: state.ledger,
    breaker: state.breaker,
    sudoGuard: state.sudoGuard,
    audit,
    timeoutMs: options.timeoutMs,
    countedFor: options.countedFor,
    protectedPaths: [...(stateDirectory === undefined ? [] : [path.resolve(stateDirectory)]), ...(options.protectedPaths ?? [])],
    redactor: createRedactor(secretValues(options.hostEnv ?? process.env)),
    clock,
    onError: options.onError ?? warn,
  });
  return { gate, ledger: state.ledger, breaker: state.breaker, sudoGuard: state.sudoGuard, audit };
}

/** The gate of a sandbox whose opener gave none: judges, remembers nothing, and denies what would be asked. */
export function denyUnapproved(): Gate {
  return createApprovals().gate;
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error.message : String(error), { type: 'PetasosWarning', code: 'PETASOS_APPROVALS' });
}
