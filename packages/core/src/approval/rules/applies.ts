import type { PlaceIdentity } from '../memory/subject.js';
import type { Unit } from '../policy/assessment.js';
import { relevantEnvironment } from '../policy/harmless-environment.js';
import { type Match, matchesExactly, matchesWidely, withoutGlobalOptions } from './pattern.js';
import type { Rule } from './rule.js';

export interface RulePlace {
  readonly place: Pick<PlaceIdentity, 'backend' | 'sandbox'>;
  readonly home: string;
}

/** What changes neither who runs a command nor where nor on which words. */
const transparent: ReadonlySet<string> = new Set('sh bash dash time timeout nice ionice nohup stdbuf env command'.split(' '));

/** Whether the rule speaks about this command here. An allow rule does only when every part is certain. */
export function ruleApplies(rule: Rule, unit: Unit, where: RulePlace): Match {
  if (rule.place !== undefined && !rule.place.some((place) => isPlace(place, where.place))) return 'no';
  const directory = inDirectory(rule, unit.command.cwd, where.home);
  if (directory === 'no') return 'no';
  const words = unit.command.argv;
  if (rule.decision === 'allow') {
    const plain =
      unit.command.static &&
      relevantEnvironment(unit.command.env).length === 0 &&
      unit.command.via.every((wrapper) => transparent.has(wrapper.split(' ')[0] ?? ''));
    return directory === 'certain' && plain && matchesExactly(rule.argv, words) ? 'certain' : 'no';
  }
  const match = better(matchesWidely(rule.argv, words), matchesWidely(rule.argv, withoutGlobalOptions(words)));
  return match === 'certain' && directory === 'possible' ? 'possible' : match;
}

function better(left: Match, right: Match): Match {
  if (left === 'certain' || right === 'certain') return 'certain';
  return left === 'possible' ? left : right;
}

function isPlace(pattern: string, place: RulePlace['place']): boolean {
  return pattern === place.backend || pattern === `${place.backend}/${place.sandbox}`;
}

function inDirectory(rule: Rule, cwd: string | undefined, home: string): Match {
  if (rule.cwd === undefined) return 'certain';
  if (cwd === undefined) return 'possible';
  return rule.cwd.some((directory) =>
    isWithin(
      cwd,
      directory.replace(/^~(?=\/|$)/, () => home),
    ),
  )
    ? 'certain'
    : 'no';
}

function isWithin(file: string, directory: string): boolean {
  const root = directory.replace(/\/+$/, '');
  return file === root || file.startsWith(`${root}/`) || root === '';
}
