export {
  type ApprovalState,
  type Approvals,
  type ApprovalsOptions,
  createApprovals,
  denyUnapproved,
  openApprovalState,
} from './approvals.js';
export type { ApprovalAnswer, ApprovalChoice, ApprovalRequest, Approver } from './gate/approver.js';
export { type CommandCheck, checkCommand } from './gate/check.js';
export type { ConsiderOptions } from './gate/consider.js';
export { createGate, defaultApprovalTimeoutMs, type GateOptions } from './gate/gate.js';
export { clearLine, InputLines, type InputPiece } from './gate/input-lines.js';
export { judge } from './judge.js';
export type { Breaker, BreakerState } from './memory/breaker.js';
export type { Ledger } from './memory/ledger.js';
export type { LedgerEntry } from './memory/ledger-entry.js';
export type { ApprovalSubject, PlaceIdentity } from './memory/subject.js';
export { type SudoBlock, SudoFailureDetector, type SudoGuard } from './memory/sudo-guard.js';
export type { Mark } from './memory/tally.js';
export { type ApprovalMode, approvalModes, parseApprovalMode } from './policy/modes.js';
export type { Audit } from './record/audit.js';
export type { AuditFilter, AuditItem } from './record/audit-reader.js';
export type { DecidedBy, DecisionRecord, EndRecord, RecordedAnswer, RecordedFinding } from './record/audit-record.js';
export { createRedactor, type Redactor, redact, secretValues } from './record/redact.js';
export type { Judge } from './rules/examples.js';
export { type LoadRulesOptions, loadRules, readRules } from './rules/file.js';
export { formatRules, importRules, type RefusedRule, type RuleFormat, type RuleImport } from './rules/import.js';
export type { Match, WordPattern } from './rules/pattern.js';
export { noRules, type Rule, type RuleSet, type RuleTier } from './rules/rule.js';
export * from './verdict.js';
