import { hiddenCharacters } from './characters.js';
import { Findings } from './findings.js';
import { limits } from './limits.js';
import { withoutMarks } from './marks.js';
import { Scope } from './scope.js';
import type { JudgeContext, Judgement } from './verdict.js';
import { Walker } from './walk.js';

/**
 * Judges a command text before it runs: what it would do, resolved through quoting, expansion, wrappers and nested code, and what of that
 * matters in the place of the context. Pure and synchronous; reads nothing, never throws. What cannot be understood is `ask`.
 */
export function judge(command: string, context: JudgeContext): Judgement {
  const findings = new Findings(context);
  let walker: Walker | undefined;
  try {
    const whole = { start: 0, end: command.length };
    for (const hidden of hiddenCharacters(command.length > limits.input ? command.slice(0, limits.input) : command)) {
      const reason = `It contains ${hidden.name}, which cannot be seen or is not what it looks like.`;
      findings.add({ rule: hidden.rule, reach: 'anything', reason, durable: false }, { span: hidden.span, argv: [], via: [] });
    }
    let text = command;
    if (text.length > limits.input) {
      const reason = `It is longer than ${limits.input} characters, of which only the beginning was read.`;
      findings.add({ rule: 'limit.input', reach: 'anything', reason, durable: false }, { span: whole, argv: [], via: [] });
      const end = text.lastIndexOf('\n', limits.input);
      text = text.slice(0, end > 0 ? end : limits.input);
    }
    walker = new Walker(context, findings);
    walker.text(withoutMarks(text), new Scope(undefined, context.cwd, undefined), {
      stdin: undefined,
      out: undefined,
      via: [],
      span: undefined,
      depth: 0,
      following: [],
    });
  } catch {
    const reason = 'It could not be judged because of an internal failure.';
    findings.add(
      { rule: 'judge.failed', reach: 'anything', reason, durable: false },
      { span: { start: 0, end: command.length }, argv: [], via: [] },
    );
  }
  return { verdict: findings.verdict, findings: findings.all, commands: walker?.commands ?? [] };
}
