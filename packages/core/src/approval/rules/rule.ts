import type { Verdict } from '../verdict.js';
import type { WordPattern } from './pattern.js';

/** Whose word it is. A project's own rules may only tighten. */
export type RuleTier = 'user' | 'project';

/** One line of a rule file: commands whose resolved words fit `argv` get `decision`. */
export interface Rule {
  readonly decision: Verdict;
  readonly argv: readonly WordPattern[];
  /** `docker`, or `docker/name` for one sandbox; any of them. Absent: everywhere. */
  readonly place?: readonly string[] | undefined;
  /** Directories, absolute or starting with `~`; the rule holds in them and below. Absent: everywhere. */
  readonly cwd?: readonly string[] | undefined;
  /** Shown to the person who is asked and to the agent that is refused. */
  readonly reason?: string | undefined;
  /** Commands that this rule must decide, and commands that it must leave alone; checked when the file is loaded. */
  readonly match: readonly string[];
  readonly notMatch: readonly string[];
  readonly tier: RuleTier;
  /** Where it is written, such as `rules.yaml:12`. */
  readonly origin: string;
}

/** What was read, and what of it is not used and why. */
export interface RuleSet {
  readonly rules: readonly Rule[];
  readonly notices: readonly string[];
}

export const noRules: RuleSet = { rules: [], notices: [] };

/** How a rule is named in messages: `deny rule git push ** (rules.yaml:12)`. */
export function describeRule(rule: Rule): string {
  return `${rule.decision} rule ${rule.argv.map((word) => (typeof word === 'string' ? word : `{${word.join(',')}}`)).join(' ')} (${rule.origin})`;
}
