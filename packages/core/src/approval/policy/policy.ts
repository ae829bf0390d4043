import { type RulePlace, ruleApplies } from '../rules/applies.js';
import { describeRule, type Rule } from '../rules/rule.js';
import type { Finding, Verdict } from '../verdict.js';
import type { Assessment, Unit } from './assessment.js';
import type { ApprovalMode } from './modes.js';

/** What is to be done with a judged command, before anybody is asked. */
export interface Decision {
  readonly verdict: Verdict;
  /** What decided: the judge, a rule, or the mode. */
  readonly by: 'judge' | 'rule' | 'mode';
  readonly rule?: Rule | undefined;
  /** Everything to show and record, those of rules and of the mode included; strictest first. */
  readonly findings: readonly Finding[];
  /** With `ask`: the commands of which each needs an answer, with what is still open about it. */
  readonly open: readonly Unit[];
  /** With `ask`: what belongs to no single command, so that an answer holds for this once only. */
  readonly loose: readonly Finding[];
}

export interface PolicyInput extends RulePlace {
  readonly assessment: Assessment;
  readonly mode: ApprovalMode;
  readonly rules: readonly Rule[];
}

/**
 * The order: the judge's deny, deny rules, ask rules, allow rules (each for its own command alone), the judge's ask, the
 * judge's allow. Nothing lifts a deny of the judge.
 */
export function decide(input: PolicyInput): Decision {
  const { assessment, mode } = input;
  const { judgement } = assessment;
  const units = assessment.units.map((unit) => applyRules(unit, input));
  const findings = [...units.flatMap((one) => one.added), ...judgement.findings];
  const result = (verdict: Verdict, by: Decision['by'], rest: Partial<Decision> = {}): Decision => ({
    verdict,
    by,
    findings: strictestFirst(findings),
    open: [],
    loose: [],
    ...rest,
  });

  if (judgement.verdict === 'deny') return result('deny', 'judge');
  const denied = units.find((one) => one.deny !== undefined);
  if (denied !== undefined) return result('deny', 'rule', { rule: denied.deny });
  if (mode === 'off') return result('allow', judgement.verdict === 'allow' ? 'judge' : 'mode');

  const loose = [...assessment.loose.filter((finding) => finding.severity === 'ask'), ...unseen(assessment)];
  const open = units.filter((one) => one.open.length > 0);
  const asked = units.find((one) => one.ask !== undefined);
  const allowed = units.find((one) => one.allow !== undefined);
  if (mode === 'strict') {
    const uncovered = units.filter((one) => one.allow === undefined && one.ask === undefined && !one.unit.command.wrapper);
    const remaining = open.filter((one) => one.ask === undefined);
    if (uncovered.length > 0 || remaining.length > 0 || loose.length > 0 || units.length === 0) {
      return result('deny', 'mode', { findings: strictestFirst([strictFinding(uncovered[0]?.unit ?? remaining[0]?.unit), ...findings]) });
    }
  }
  if (open.length > 0 || loose.length > 0) {
    return result('ask', asked === undefined ? 'judge' : 'rule', {
      rule: asked?.ask,
      open: open.map((one) => ({ ...one.unit, findings: one.open })),
      loose,
    });
  }
  const lifted = judgement.verdict === 'ask' || mode === 'strict';
  return lifted ? result('allow', 'rule', { rule: allowed?.allow }) : result('allow', 'judge');
}

interface RuledUnit {
  readonly unit: Unit;
  readonly deny: Rule | undefined;
  readonly ask: Rule | undefined;
  readonly allow: Rule | undefined;
  /** Findings that stand for rules. */
  readonly added: readonly Finding[];
  /** What still needs an answer. */
  readonly open: readonly Finding[];
}

function applyRules(unit: Unit, input: PolicyInput): RuledUnit {
  const matches = input.rules.map((rule) => ({ rule, match: ruleApplies(rule, unit, input) })).filter((one) => one.match !== 'no');
  const of = (decision: Verdict) => matches.filter((one) => one.rule.decision === decision);
  const deny = of('deny').find((one) => one.match === 'certain')?.rule;
  // A deny rule that may match is no reason to refuse, but one to ask.
  const ask = [...of('ask'), ...of('deny').filter((one) => one.match === 'possible')][0]?.rule;
  const allow = of('allow').find((one) => one.rule.tier === 'user')?.rule;
  const added = [
    ...(deny === undefined ? [] : [ruleFinding('rule.deny', 'deny', deny, unit)]),
    ...(ask === undefined ? [] : [ruleFinding('rule.ask', 'ask', ask, unit)]),
  ];
  const asks = unit.findings.filter((finding) => finding.severity === 'ask');
  const open = [
    ...added.filter((finding) => finding.severity === 'ask'),
    ...(allow === undefined ? asks : asks.filter((one) => !liftable(one, unit))),
  ];
  return { unit, deny, ask, allow, added, open };
}

/** Kinds of findings that are about more than the words of one command. */
const beyondWords =
  /^(?:raw|parse|limit|env|word|judge|script|shell|secret)\.|^exec\.(?:pipe|dynamic|remote|decoded|unnamed|lookalike|written|batch)/;

/** An allow rule speaks about the words of a command: what goes into it and where its output goes, it does not know. */
function liftable(finding: Finding, unit: Unit): boolean {
  if (beyondWords.test(finding.rule)) return false;
  return finding.paths === undefined || !finding.paths.some((file) => unit.command.writes.includes(file));
}

function ruleFinding(rule: string, severity: Verdict, source: Rule, unit: Unit): Finding {
  return {
    rule,
    severity,
    judged: severity,
    span: unit.command.span,
    argv: unit.command.argv.map((word) => word.text),
    via: unit.command.via,
    reason: source.reason === undefined ? `the ${describeRule(source)} names it` : `${source.reason} (${describeRule(source)})`,
    reach: 'processes',
    // A remembered answer would switch the rule off.
    durable: false,
  };
}

function strictFinding(unit: Unit | undefined): Finding {
  return {
    rule: 'mode.strict',
    severity: 'deny',
    judged: 'deny',
    span: unit?.command.span ?? { start: 0, end: 0 },
    argv: unit?.command.argv.map((word) => word.text) ?? [],
    via: unit?.command.via ?? [],
    reason: 'approvals are in mode strict and no allow rule covers this command',
    reach: 'processes',
    durable: false,
  };
}

/** The judge lists a bounded number of findings; its verdict counts them all. */
function unseen(assessment: Assessment): readonly Finding[] {
  const { findings, verdict } = assessment.judgement;
  if (verdict !== 'ask' || findings.some((finding) => finding.severity === 'ask')) return [];
  return [
    {
      rule: 'judge.unlisted',
      severity: 'ask',
      judged: 'ask',
      span: { start: 0, end: 0 },
      argv: [],
      via: [],
      reason: 'the command is too large to list everything that was found in it',
      reach: 'processes',
      durable: false,
    },
  ];
}

const order: Readonly<Record<Verdict, number>> = { deny: 0, ask: 1, allow: 2 };

function strictestFirst(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort((left, right) => order[left.severity] - order[right.severity]);
}
