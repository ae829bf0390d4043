import type { PlaceIdentity } from '../../../src/approval/memory/subject.js';
import { type Assessment, assess, type Unit } from '../../../src/approval/policy/assessment.js';
import type { Finding, Judgement, ResolvedCommand } from '../../../src/approval/verdict.js';
import { strictest } from '../../../src/approval/verdict.js';

export const home: PlaceIdentity = { backend: 'local', sandbox: 'main', machine: 'laptop', user: 'dev' };

/** A resolved command from its words; `…` in a word makes it unknown. */
export function command(words: string, overrides: Partial<ResolvedCommand> = {}): ResolvedCommand {
  const argv = words.split(' ').map((text) => ({ text, literal: !text.includes('…') }));
  return {
    argv,
    static: argv.every((word) => word.literal),
    cwd: '/home/dev/project',
    env: [],
    writes: [],
    span: { start: 0, end: words.length },
    via: [],
    wrapper: false,
    privileged: false,
    durable: true,
    ...overrides,
  };
}

export function finding(of: ResolvedCommand | undefined, overrides: Partial<Finding> = {}): Finding {
  return {
    rule: 'fs.delete-recursive',
    severity: 'ask',
    judged: 'ask',
    span: of?.span ?? { start: 0, end: 0 },
    argv: of?.argv.map((word) => word.text) ?? [],
    via: of?.via ?? [],
    reason: 'removes a directory with everything in it',
    reach: 'filesystem',
    durable: true,
    ...overrides,
  };
}

export function judgement(commands: readonly ResolvedCommand[], findings: readonly Finding[] = []): Judgement {
  return { verdict: findings.reduce<Judgement['verdict']>((worst, one) => strictest(worst, one.severity), 'allow'), findings, commands };
}

/** The assessment of one dangerous command, and its unit. */
export function oneUnit(of: ResolvedCommand, overrides: Partial<Finding> = {}): { readonly unit: Unit; readonly assessment: Assessment } {
  const assessment = assess(judgement([of], [finding(of, overrides)]));
  const [unit] = assessment.units;
  if (unit === undefined) throw new Error('the judgement has no command');
  return { unit, assessment };
}
