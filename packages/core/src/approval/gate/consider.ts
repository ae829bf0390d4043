import type { GateRequest } from '../../contract/gate.js';
import type { Placement } from '../../contract/placement.js';
import { type PlaceIdentity, placeIdentity } from '../memory/subject.js';
import { type Assessment, assess } from '../policy/assessment.js';
import type { ApprovalMode } from '../policy/modes.js';
import { type Decision, decide } from '../policy/policy.js';
import type { Judge } from '../rules/examples.js';
import type { Rule } from '../rules/rule.js';
import { judgeContext } from './context.js';
import { judgeRequest } from './question.js';
import { judgeScripts } from './scripts.js';

export interface ConsiderOptions {
  readonly judge: Judge;
  /** Default `manual`. */
  readonly mode?: ApprovalMode | undefined;
  readonly rules?: readonly Rule[] | undefined;
  /** Absolute paths that no command may write: configuration, rules, ledger, record. */
  readonly protectedPaths?: readonly string[] | undefined;
}

/** All that is known about a request before anybody is asked. */
export interface Consideration {
  readonly place: Placement;
  readonly identity: PlaceIdentity;
  readonly cwd: string;
  readonly assessment: Assessment;
  /** Scripts that were read, by path, with their hashes. */
  readonly files: ReadonlyMap<string, string>;
  readonly decision: Decision;
}

/** Judges a request, its input, variables and scripts, and applies mode and rules. Remembers and asks nothing. */
export async function consider(request: GateRequest, place: Placement, options: ConsiderOptions): Promise<Consideration> {
  const { judge, mode = 'manual', rules = [], protectedPaths = [] } = options;
  const identity = placeIdentity(place, request.sandbox);
  const context = judgeContext(request, place, protectedPaths);
  const { judgement, hashes, files } = await judgeScripts(judgeRequest(request, context, judge), context, judge, request);
  const assessment = assess(judgement, hashes);
  return {
    place,
    identity,
    cwd: context.cwd,
    assessment,
    files,
    decision: decide({ assessment, mode, rules, place: identity, home: place.home }),
  };
}
