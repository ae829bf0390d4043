import type { Call } from './call.js';
import { UNKNOWN } from './marks.js';
import { matches } from './options.js';
import { fits, type Rule } from './program.js';

/** Reports every rule whose conditions a call meets. */
export function applyRules(rules: readonly Rule[], call: Call): void {
  let operands: string[] | undefined;
  for (const rule of rules) {
    if (rule.option && !call.has(rule.option)) continue;
    if (rule.when) {
      operands ??= call.operands.map((operand) =>
        operand.literal ? operand.text : operand.glob && !operand.dynamic ? operand.text : UNKNOWN,
      );
      if (!fits(rule.when, operands)) continue;
    }
    if (
      rule.unless
        ?.split(' ')
        .some((name) => call.options.some((option) => option.name === name || (matches(option, name) && option.name.length > 4)))
    )
      continue;
    if (rule.test && !rule.test(call)) continue;
    call.at.report({ rule: rule.id, verdict: rule.verdict, reach: rule.reach, reason: rule.reason, alternative: rule.alternative });
  }
}
