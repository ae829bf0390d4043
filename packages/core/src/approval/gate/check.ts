import type { GateRequest } from '../../contract/gate.js';
import { judge as judgeCommand } from '../judge.js';
import type { Finding, Judgement, Verdict } from '../verdict.js';
import { type ConsiderOptions, consider } from './consider.js';

/** What would become of a command. */
export interface CommandCheck {
  readonly verdict: Verdict;
  /** What decides: the judge, a rule, or the mode. */
  readonly by: 'judge' | 'rule' | 'mode';
  readonly findings: readonly Finding[];
  /** Includes the commands of scripts that were read. */
  readonly judgement: Judgement;
  readonly cwd: string;
}

/** Judges without running, asking, remembering or recording. */
export async function checkCommand(request: GateRequest, options: Partial<ConsiderOptions> = {}): Promise<CommandCheck> {
  const { decision, assessment, cwd } = await consider(request, await request.placement(), { judge: judgeCommand, ...options });
  return { verdict: decision.verdict, by: decision.by, findings: decision.findings, judgement: assessment.judgement, cwd };
}
