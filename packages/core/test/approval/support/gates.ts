import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../../src/approval/gate/approver.js';
import { createGate, type GateOptions } from '../../../src/approval/gate/gate.js';
import type { Judge } from '../../../src/approval/rules/examples.js';
import type { Rule } from '../../../src/approval/rules/rule.js';
import { PetasosError } from '../../../src/contract/errors.js';
import type { Gate } from '../../../src/contract/gate.js';
import { fakeJudge } from './fake-judge.js';
import { type RequestOptions, request } from './requests.js';

export const gateOf = (options: Partial<GateOptions> = {}) => createGate({ judge: fakeJudge, ...options });

/** An approver that gives these answers in turn and keeps what it was asked. */
export function approver(...answers: (ApprovalAnswer | ApprovalAnswer['choice'])[]): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  return Object.assign(
    async (question: ApprovalRequest): Promise<ApprovalAnswer> => {
      asked.push(question);
      const answer = answers[asked.length - 1];
      if (answer === undefined) throw new Error('asked too often');
      return typeof answer === 'string' ? { choice: answer } : answer;
    },
    { asked },
  );
}

/** The judge, and what it was given. */
export function observed(): { readonly judge: Judge; readonly seen: string[]; readonly contexts: unknown[] } {
  const seen: string[] = [];
  const contexts: unknown[] = [];
  const judge: Judge = (text, context) => {
    seen.push(text);
    contexts.push(context);
    return fakeJudge(text, context);
  };
  return { judge, seen, contexts };
}

/** The error with which a command is refused. */
export async function refusal(gate: Gate, command: string, options: RequestOptions = {}): Promise<PetasosError> {
  const error: unknown = await gate.admit(request(command, options)).then(
    () => new Error(`${command} was admitted`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof PetasosError)) throw error;
  return error;
}

export const rule = (decision: Rule['decision'], argv: string): Rule => ({
  decision,
  argv: argv.split(' '),
  match: [],
  notMatch: [],
  tier: 'user',
  origin: 'rules.yaml:2',
});
