import { PetasosError } from '../../contract/errors.js';
import { leavesProgramOpen } from '../policy/programs.js';
import type { Verdict } from '../verdict.js';
import { fixedBeginnings, hasWildcard, type WordPattern } from './pattern.js';
import type { Rule, RuleSet, RuleTier } from './rule.js';

export type KeyPath = readonly (string | number)[];

/** A parsed rule file, and where each of its keys stands. */
export interface RuleSource {
  readonly name: string;
  readonly value: unknown;
  /** Line of the key, from 1; undefined when it is not known. */
  line(path: KeyPath): number | undefined;
}

export interface RuleProblem {
  readonly path: KeyPath;
  readonly message: string;
}

const lists: readonly Verdict[] = ['allow', 'ask', 'deny'];
const ruleKeys: readonly string[] = ['argv', 'place', 'cwd', 'reason', 'match', 'not_match'];
const mostRules = 10_000;
const longestPattern = 64;

/** Reads the lists `allow`, `ask` and `deny`. Everything that is wrong is named with file, line and key; nothing is skipped. */
export function parseRules(source: RuleSource, tier: RuleTier): RuleSet {
  const problems: RuleProblem[] = [];
  const rules: Rule[] = [];
  const notices: string[] = [];
  const fields = source.value === null || source.value === undefined ? {} : asRecord(source.value);
  if (fields === undefined)
    throw ruleFileError(source, [{ path: [], message: 'the file must be an object with the lists allow, ask and deny' }]);
  for (const key of Object.keys(fields)) if (!isList(key)) problems.push({ path: [key], message: unknownKey(key, lists) });
  for (const decision of lists) {
    const list = fields[decision];
    if (list === undefined || list === null) continue;
    if (!Array.isArray(list)) {
      problems.push({ path: [decision], message: 'must be a list of rules' });
      continue;
    }
    if (list.length > mostRules) problems.push({ path: [decision], message: `has more than ${mostRules} rules` });
    for (const [index, item] of list.slice(0, mostRules).entries()) {
      const path = [decision, index];
      const rule = parseRule(item, decision, { source, path, tier, problems });
      if (rule !== undefined) rules.push(rule);
    }
  }
  if (problems.length > 0) throw ruleFileError(source, problems);
  if (tier === 'user') return { rules, notices };
  const kept = rules.filter((rule) => rule.decision !== 'allow');
  if (kept.length < rules.length) {
    notices.push(`${place(source, ['allow'])}: allow rules of a project are not used: a project may only make approvals stricter`);
  }
  return { rules: kept, notices };
}

/** One error for everything that is wrong with a rule file; the first is in front. */
export function ruleFileError(source: Pick<RuleSource, 'name' | 'line'>, problems: readonly RuleProblem[]): PetasosError {
  const lines = problems.map(
    (problem) => `${place(source, problem.path)}: ${problem.path.length > 0 ? `${keyName(problem.path)}: ` : ''}${problem.message}`,
  );
  const line = source.line(problems[0]?.path ?? []);
  return new PetasosError('invalid-options', lines.join('\n'), {
    operation: 'approvals.rules',
    remedy: 'Correct the rule file; until then none of its rules is used and no command runs.',
    data: { path: source.name, ...(line === undefined ? {} : { line }) },
  });
}

function place(source: Pick<RuleSource, 'name' | 'line'>, path: KeyPath): string {
  const line = source.line(path);
  return line === undefined ? source.name : `${source.name}:${line}`;
}

function keyName(path: KeyPath): string {
  return path.reduce<string>((name, key) => (typeof key === 'number' ? `${name}[${key}]` : name === '' ? key : `${name}.${key}`), '');
}

interface Place {
  readonly source: RuleSource;
  readonly path: KeyPath;
  readonly tier: RuleTier;
  readonly problems: RuleProblem[];
}

function parseRule(item: unknown, decision: Verdict, at: Place): Rule | undefined {
  const fields = asRecord(item);
  if (fields === undefined) {
    at.problems.push({ path: at.path, message: 'a rule is an object with argv, and optionally place, cwd, reason, match and not_match' });
    return undefined;
  }
  const before = at.problems.length;
  for (const key of Object.keys(fields))
    if (!ruleKeys.includes(key)) at.problems.push({ path: [...at.path, key], message: unknownKey(key, ruleKeys) });
  const argv = parseArgv(fields['argv'], decision, { ...at, path: [...at.path, 'argv'] });
  const placeNames = textList(fields, 'place', at);
  const cwd = textList(fields, 'cwd', at);
  for (const directory of cwd ?? []) {
    if (!/^(?:\/|~(?:\/|$))/.test(directory))
      at.problems.push({ path: [...at.path, 'cwd'], message: `${JSON.stringify(directory)} must be absolute or start with ~` });
  }
  const reason = fields['reason'];
  if (reason !== undefined && typeof reason !== 'string') at.problems.push({ path: [...at.path, 'reason'], message: 'must be a text' });
  const match = textList(fields, 'match', at) ?? [];
  const notMatch = textList(fields, 'not_match', at) ?? [];
  if (argv === undefined || at.problems.length > before) return undefined;
  return {
    decision,
    argv,
    ...(placeNames === undefined ? {} : { place: placeNames }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(typeof reason === 'string' ? { reason } : {}),
    match,
    notMatch,
    tier: at.tier,
    origin: place(at.source, at.path),
  };
}

function parseArgv(value: unknown, decision: Verdict, at: Place): readonly WordPattern[] | undefined {
  const refuse = (message: string, path: KeyPath = at.path): undefined => {
    at.problems.push({ path, message });
    return undefined;
  };
  if (value === undefined) return refuse('is missing: the words of the command, such as [npm, run, test]');
  if (!Array.isArray(value) || value.length === 0) return refuse('must be a list of words, such as [npm, run, test]; a text is not split');
  if (value.length > longestPattern) return refuse(`has more than ${longestPattern} words`);
  const argv: WordPattern[] = [];
  for (const [index, element] of value.entries()) {
    if (typeof element === 'string' && element !== '') argv.push(element);
    else if (isTexts(element) && element.length > 0 && !element.includes('**')) argv.push(element);
    else return refuse('must be a word, or a list of words to choose from; quote numbers and true or false', [...at.path, index]);
  }
  const problem = argvProblem(argv, decision);
  return problem === undefined ? argv : refuse(problem);
}

/** Why these words cannot be a rule of this kind; undefined when they can. */
export function argvProblem(argv: readonly WordPattern[], decision: Verdict): string | undefined {
  if (decision !== 'allow') {
    return argv.every((element) => element === '**' || element === '*')
      ? 'names no word: approvals.mode says what holds for every command'
      : undefined;
  }
  const beginnings = fixedBeginnings(argv);
  if (beginnings.some((beginning) => beginning.length === 0)) return 'an allow rule must name its program without wildcards';
  const open = argv.some((element) => (typeof element === 'string' ? hasWildcard(element) : element.some(hasWildcard)));
  const carrier = open ? beginnings.find(leavesProgramOpen) : undefined;
  return carrier === undefined
    ? undefined
    : `${carrier.join(' ')} runs whatever its arguments say, so that this would allow everything; give all its words, without wildcards`;
}

function textList(fields: Readonly<Record<string, unknown>>, key: string, at: Place): readonly string[] | undefined {
  const value = fields[key];
  if (value === undefined) return undefined;
  if (typeof value === 'string') return [value];
  if (isTexts(value)) return value;
  at.problems.push({ path: [...at.path, key], message: 'must be a text or a list of texts' });
  return undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isList(key: string): boolean {
  return lists.some((list) => list === key);
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : undefined;
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = known.find((name) => name.replace('_', '').startsWith(key.replace(/[_-]/g, '').toLowerCase().slice(0, 4)));
  return `is not known here${near === undefined ? '' : `; did you mean ${near}?`} (known: ${known.join(', ')})`;
}
