import { PetasosError } from '../../contract/errors.js';
import type { GateRequest } from '../../contract/gate.js';
import type { SudoBlock } from '../memory/sudo-guard.js';
import type { Decision } from '../policy/policy.js';
import type { Redactor } from '../record/redact.js';
import { describeRule } from '../rules/rule.js';
import type { Finding } from '../verdict.js';

/** Why a command is refused, with what its message needs. */
export type Refusal =
  | { readonly by: 'judge' | 'rule' | 'mode' | 'nobody' | 'breaker' | 'script-changed' }
  | { readonly by: 'approver'; readonly reason: string | undefined; readonly mistake?: string | undefined }
  | { readonly by: 'timeout'; readonly timeoutMs: number }
  | { readonly by: 'sudo-guard'; readonly block: SudoBlock; readonly now: number }
  | { readonly by: 'failure'; readonly cause: unknown };

const noVariants = 'Do not try it in another form: tell the person what you wanted to do and why.';
const longestCommand = 200;

/** The error for a refused command. Its message is for the agent that reads it, its remedy for the person. */
export function refusalError(refusal: Refusal, request: GateRequest, decision: Decision | undefined, redact: Redactor): PetasosError {
  const { backend, name } = request.sandbox;
  const [first] = decision?.findings.filter((finding) => finding.severity !== 'allow') ?? [];
  const command = shorten(redact(request.command.slice(0, longestCommand * 20)));
  const { why, agent = noVariants, person } = explain(refusal, decision, first);
  const alternative = first?.alternative === undefined ? '' : ` This may do what is meant: ${first.alternative}`;
  return new PetasosError('not-approved', redact(`not approved in ${backend}/${name}: ${command}: ${why}. ${agent}${alternative}`), {
    backend,
    operation: request.operation,
    remedy: person,
    data: { by: refusal.by, sandbox: name, ...(first === undefined ? {} : { rule: first.rule }) },
    ...(refusal.by === 'failure' ? { cause: refusal.cause } : {}),
  });
}

interface Explanation {
  readonly why: string;
  readonly agent?: string;
  readonly person: string;
}

function explain(refusal: Refusal, decision: Decision | undefined, finding: Finding | undefined): Explanation {
  const reason = finding === undefined ? 'it needs an approval' : withoutStop(finding.reason);
  switch (refusal.by) {
    case 'judge':
      return { why: `${reason}, and that is refused in every mode`, person: 'If it is really meant, run it yourself outside of Petasos.' };
    case 'rule':
      return {
        why: reason,
        person:
          decision?.rule === undefined
            ? 'Change the rule if it should run.'
            : `Change the ${describeRule(decision.rule)} if it should run.`,
      };
    case 'mode':
      return { why: reason, person: 'Add an allow rule for it, or set approvals.mode to manual to be asked.' };
    case 'nobody':
      return {
        why: `${reason}, and nobody is here to approve it`,
        person: 'Run it where a terminal can ask, pass an approver, or add an allow rule; petasos check shows why it is asked.',
      };
    case 'timeout':
      return {
        why: `${reason}, and nobody answered within ${Math.ceil(refusal.timeoutMs / 1000)} s`,
        person: 'Start it again when somebody can answer, or add an allow rule for it.',
      };
    case 'approver':
      if (refusal.mistake !== undefined) {
        return {
          why: `${reason}, and the approver ${refusal.mistake}`,
          person: 'Correct the approver: only one of the offered answers approves.',
        };
      }
      return {
        why: `${reason}, and a person denied it${refusal.reason === undefined ? '' : `: ${withoutStop(refusal.reason)}`}`,
        person: 'Start it again and approve it if it should run after all.',
      };
    case 'breaker':
      return {
        why: `three commands in a row were denied here, so nothing that needs an approval runs (${reason})`,
        agent: 'Stop trying and report to the person what you wanted to do.',
        person: 'Look at what was denied (petasos audit --denied), then: petasos approvals reset (in a program: breaker.reset()).',
      };
    case 'sudo-guard':
      return {
        why: `${refusal.block.failures} authentications failed here, so sudo is refused for ${Math.ceil((refusal.block.until - refusal.now) / 60_000)} more minutes`,
        agent: 'Do not guess passwords: ask the person.',
        person: 'Wait, or look at the attempts (petasos audit), then: petasos approvals reset.',
      };
    case 'script-changed':
      return {
        why: 'a script that it runs was changed while the approval was asked for',
        person: 'Start it again to be asked about the script as it is now.',
      };
    case 'failure':
      return {
        why: `the approval could not be settled: ${messageOf(refusal.cause)}`,
        agent: 'It was not run. Tell the person.',
        person: remedyOf(refusal.cause) ?? 'Correct what the message names; until then nothing that needs an approval runs.',
      };
  }
}

function messageOf(cause: unknown): string {
  return withoutStop(cause instanceof Error ? cause.message : String(cause));
}

function remedyOf(cause: unknown): string | undefined {
  return cause instanceof PetasosError ? cause.remedy : undefined;
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}

/** One line in which newlines and control characters are visible. */
function shorten(command: string): string {
  const line = JSON.stringify(command).slice(1, -1).replaceAll('\\"', '"').replaceAll('\\\\', '\\');
  return line.length > longestCommand ? `${line.slice(0, longestCommand)}…` : line;
}
