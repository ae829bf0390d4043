import type { GateOperation } from '../../contract/gate.js';
import type { Placement } from '../../contract/placement.js';
import type { Finding, Judgement } from '../verdict.js';

/** `always` is kept on disk; the others are not. */
export type ApprovalChoice = 'once' | 'session' | 'always' | 'deny';

/** What an approver is asked. */
export interface ApprovalRequest {
  readonly operation: GateOperation;
  /** The text as it will run, unchanged: show hidden characters, never a shortened text. It may hold secrets. */
  readonly command: string;
  readonly cwd: string;
  readonly judgement: Judgement;
  /** What has to be decided, the strictest first; spans are those of `command`. */
  readonly findings: readonly Finding[];
  readonly place: Placement;
  readonly sandbox: { readonly backend: string; readonly id: string; readonly name: string };
  /** The answers that are open for this command; `once` and `deny` always are. */
  readonly choices: readonly ApprovalChoice[];
  /** Aborted when an answer has come too late or is not wanted any more. */
  readonly signal: AbortSignal;
  /** Milliseconds in which an answer counts. */
  readonly timeoutMs: number;
}

export type ApprovalAnswer =
  | { readonly choice: 'once' | 'session' | 'always'; readonly by?: string | undefined }
  /** The reason goes back to the agent. */
  | { readonly choice: 'deny'; readonly by?: string | undefined; readonly reason?: string | undefined };

/** Asks a person. Whatever it does but answer with one of the choices is a denial. */
export type Approver = (request: ApprovalRequest) => Promise<ApprovalAnswer>;

/** The answer as one of the choices, or undefined when it is none of them. */
export function readAnswer(value: unknown, choices: readonly ApprovalChoice[]): ApprovalAnswer | undefined {
  if (typeof value !== 'object' || value === null || !('choice' in value)) return undefined;
  const choice = choices.find((known) => known === value.choice);
  if (choice === undefined) return undefined;
  const by = 'by' in value && typeof value.by === 'string' ? { by: value.by } : {};
  if (choice !== 'deny') return { choice, ...by };
  return { choice, ...by, ...('reason' in value && typeof value.reason === 'string' ? { reason: value.reason } : {}) };
}
