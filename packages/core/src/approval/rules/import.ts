import type { Verdict } from '../verdict.js';
import { exampleProblems, type Judge } from './examples.js';
import { parseClaudeRules } from './import-claude.js';
import { parseCodexRules } from './import-codex.js';
import { argvProblem, ruleFileError } from './load.js';
import type { WordPattern } from './pattern.js';
import type { Rule } from './rule.js';

/** A rule as it was found in another tool's file, before it is known whether it can be honoured. */
export interface ForeignRule {
  /** As it is written there, for messages. */
  readonly written: string;
  readonly line: number;
  readonly decision: Verdict;
  /** Undefined when it cannot be said in words. */
  readonly argv: readonly WordPattern[] | undefined;
  readonly refused?: string | undefined;
  readonly reason?: string | undefined;
  readonly match?: readonly string[] | undefined;
  readonly notMatch?: readonly string[] | undefined;
  readonly warning?: string | undefined;
}

export interface RefusedRule {
  readonly written: string;
  readonly origin: string;
  readonly why: string;
}

export interface RuleImport {
  readonly rules: readonly Rule[];
  /** Entries that are not imported, each by name and with the reason. */
  readonly refused: readonly RefusedRule[];
  readonly warnings: readonly string[];
}

export type RuleFormat = 'claude' | 'codex';

/** Settings are JSON; a `*.rules` file is a list of calls. */
function ruleFormatOf(text: string): RuleFormat {
  return /^\s*[{[]/.test(text) ? 'claude' : 'codex';
}

/**
 * Reads the command lists of other tools: `Bash(npm run test:*)` in a settings file, or `prefix_rule(…)` calls. Only what
 * can be said over resolved words is taken; everything else is refused by name. Examples run as tests.
 */
export async function importRules(
  text: string,
  name: string,
  options: { readonly judge: Judge; readonly format?: RuleFormat | undefined },
): Promise<RuleImport> {
  const format = options.format ?? ruleFormatOf(text);
  const found = format === 'claude' ? await parseClaudeRules(text, name) : parseCodexRules(text, name);
  const rules: Rule[] = [];
  const refused: RefusedRule[] = [];
  const warnings: string[] = [];
  for (const foreign of found) {
    const origin = `${name}:${foreign.line}`;
    const why =
      foreign.refused ?? (foreign.argv === undefined ? 'it cannot be said in words' : argvProblem(foreign.argv, foreign.decision));
    if (why !== undefined || foreign.argv === undefined) {
      refused.push({ written: foreign.written, origin, why: why ?? '' });
      continue;
    }
    if (foreign.warning !== undefined) warnings.push(`${origin}: ${foreign.written}: ${foreign.warning}`);
    const rule: Rule = {
      decision: foreign.decision,
      argv: foreign.argv,
      ...(foreign.reason === undefined ? {} : { reason: foreign.reason }),
      match: foreign.match ?? [],
      notMatch: foreign.notMatch ?? [],
      tier: 'user',
      origin,
    };
    const [problem] = exampleProblems(rule, options.judge, 'words');
    if (problem !== undefined) {
      throw ruleFileError({ name, line: () => foreign.line }, [
        { path: [], message: `${foreign.written}: ${problem.key}: ${problem.message}` },
      ]);
    }
    rules.push(rule);
  }
  return { rules, refused, warnings };
}

/** Rules as a rule file in YAML. */
export async function formatRules(rules: readonly Rule[]): Promise<string> {
  const { stringify } = await import('yaml');
  const lists: Partial<Record<Verdict, unknown[]>> = {};
  for (const rule of rules) {
    const { decision, argv, place, cwd, reason, match, notMatch } = rule;
    lists[decision] = [
      ...(lists[decision] ?? []),
      {
        argv,
        ...(place === undefined ? {} : { place }),
        ...(cwd === undefined ? {} : { cwd }),
        ...(reason === undefined ? {} : { reason }),
        ...(match.length > 0 ? { match } : {}),
        ...(notMatch.length > 0 ? { not_match: notMatch } : {}),
      },
    ];
  }
  return stringify(lists, { lineWidth: 0, aliasDuplicateObjects: false });
}
