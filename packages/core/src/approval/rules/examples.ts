import { assess } from '../policy/assessment.js';
import { decide } from '../policy/policy.js';
import type { JudgeContext, Judgement } from '../verdict.js';
import { type RulePlace, ruleApplies } from './applies.js';
import type { RuleProblem, RuleSource } from './load.js';
import { ruleFileError } from './load.js';
import type { Rule } from './rule.js';

/** Judges one command; the real one is pure and synchronous. */
export type Judge = (command: string, context: JudgeContext) => Judgement;

const home = '/home/user';

/** Runs the examples of every rule through the whole judgement, and rejects the file when one comes out otherwise. */
export function checkExamples(rules: readonly Rule[], judge: Judge, source: RuleSource): void {
  const problems: RuleProblem[] = [];
  const counts = new Map<string, number>();
  for (const rule of rules) {
    const index = counts.get(rule.decision) ?? 0;
    counts.set(rule.decision, index + 1);
    for (const { key, at, message } of exampleProblems(rule, judge, 'verdict')) {
      problems.push({ path: [rule.decision, index, key, at], message });
    }
  }
  if (problems.length > 0) throw ruleFileError(source, problems);
}

export interface ExampleProblem {
  readonly key: 'match' | 'not_match';
  readonly at: number;
  readonly message: string;
}

/** What is wrong with a rule's examples. `verdict`: the rule has to decide them, too; `words`: it only has to match. */
export function exampleProblems(rule: Rule, judge: Judge, extent: 'verdict' | 'words'): readonly ExampleProblem[] {
  const problems: ExampleProblem[] = [];
  const check = (key: ExampleProblem['key'], examples: readonly string[]) => {
    for (const [at, example] of examples.entries()) {
      const message = exampleProblem(rule, key, example, judge, extent);
      if (message !== undefined) problems.push({ key, at, message });
    }
  };
  check('match', rule.match);
  check('not_match', rule.notMatch);
  return problems;
}

function exampleProblem(
  rule: Rule,
  key: ExampleProblem['key'],
  example: string,
  judge: Judge,
  extent: 'verdict' | 'words',
): string | undefined {
  const where: RulePlace = examplePlace(rule);
  const cwd = rule.cwd?.[0]?.replace(/^~(?=\/|$)/, home) ?? `${home}/project`;
  const assessment = assess(judge(example, { place: where.place.backend, isolated: false, cwd, home, user: 'user' }));
  const matched = assessment.units.some((unit) => ruleApplies(rule, unit, where) === 'certain');
  const shown = JSON.stringify(example);
  if (key === 'not_match') return matched ? `${shown} is matched by the rule` : undefined;
  if (!matched) return `${shown} is not matched by the rule`;
  if (extent === 'words') return undefined;
  const { verdict, findings } = decide({ assessment, mode: 'manual', rules: [rule], ...where });
  if (verdict === rule.decision || (rule.decision === 'ask' && verdict === 'deny')) return undefined;
  return `${shown} is matched, and still comes out as ${verdict}: ${findings[0]?.reason ?? 'the rule does not cover all of it'}`;
}

function examplePlace(rule: Rule): RulePlace {
  const [backend = 'local', sandbox = 'main'] = rule.place?.[0]?.split('/') ?? [];
  return { place: { backend, sandbox }, home };
}
