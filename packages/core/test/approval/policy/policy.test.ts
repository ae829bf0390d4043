import { describe, expect, test } from 'vitest';
import { assess } from '../../../src/approval/policy/assessment.js';
import { parseApprovalMode } from '../../../src/approval/policy/modes.js';
import { decide } from '../../../src/approval/policy/policy.js';
import type { Rule } from '../../../src/approval/rules/rule.js';
import { command, finding, home, judgement } from '../support/commands.js';
import { fakeJudge } from '../support/fake-judge.js';

const context = { place: 'local', isolated: false, cwd: '/home/dev/project', home: '/home/dev', user: 'dev' };

function rule(decision: Rule['decision'], argv: string, overrides: Partial<Rule> = {}): Rule {
  return { decision, argv: argv.split(' '), match: [], notMatch: [], tier: 'user', origin: 'rules.yaml:2', ...overrides };
}

function decided(text: string, rules: readonly Rule[] = [], mode: 'manual' | 'strict' | 'off' = 'manual', changes = {}) {
  const assessment = assess(fakeJudge(text, { ...context, ...changes }));
  return decide({ assessment, mode, rules, place: home, home: '/home/dev' });
}

describe('manual', () => {
  test.each<[string, string, Rule[], string, string]>([
    ['the judge alone', 'ls', [], 'allow', 'judge'],
    ['the judge alone', 'rm x', [], 'ask', 'judge'],
    ['the judge alone', 'mkfs x', [], 'deny', 'judge'],
    ['allow lifts an ask', 'rm x', [rule('allow', 'rm x')], 'allow', 'rule'],
    ['allow does not lift a deny', 'mkfs x', [rule('allow', 'mkfs x')], 'deny', 'judge'],
    ['ask beats allow', 'rm x', [rule('allow', 'rm x'), rule('ask', 'rm')], 'ask', 'rule'],
    ['deny beats everything', 'rm x', [rule('allow', 'rm x'), rule('ask', 'rm'), rule('deny', 'rm')], 'deny', 'rule'],
    ['the order of rules does not matter', 'rm x', [rule('deny', 'rm'), rule('allow', 'rm x')], 'deny', 'rule'],
    ['a rule asks about what is harmless', 'npm publish', [rule('ask', 'npm publish')], 'ask', 'rule'],
    ['a rule denies what is harmless', 'echo x; npm publish', [rule('deny', 'npm publish')], 'deny', 'rule'],
    ['each command needs its own rule', 'rm x && rm y', [rule('allow', 'rm x')], 'ask', 'judge'],
    ['each command has its own rule', 'rm x && rm y', [rule('allow', 'rm x'), rule('allow', 'rm y')], 'allow', 'rule'],
    ['deny sees through wrappers', 'sudo bash -c git push', [rule('deny', 'git push')], 'deny', 'rule'],
    ['deny sees through a path', '/usr/bin/git push', [rule('deny', 'git push')], 'deny', 'rule'],
    ['deny sees through global options', 'git -C /x push', [rule('deny', 'git push')], 'deny', 'rule'],
    ['a deny rule that may match asks', 'git $X', [rule('deny', 'git push')], 'ask', 'rule'],
    ['an allow rule needs certainty', 'rm $X', [rule('allow', 'rm *')], 'ask', 'judge'],
    ['an allow rule does not reach through sudo', 'sudo rm x', [rule('allow', 'rm x')], 'ask', 'judge'],
    ['an allow rule reaches through a plain shell', 'bash -c rm x', [rule('allow', 'rm x')], 'allow', 'rule'],
    ['an allow rule does not hold with other variables', "export A='1'; rm x", [rule('allow', 'rm x')], 'ask', 'judge'],
    ['an allow rule does not lift what belongs to no command', 'rm x "', [rule('allow', 'rm x "')], 'ask', 'judge'],
    ['a project cannot allow', 'rm x', [rule('allow', 'rm x', { tier: 'project' })], 'ask', 'judge'],
    ['a project can deny', 'ls', [rule('deny', 'ls', { tier: 'project' })], 'deny', 'rule'],
    ['another place', 'rm x', [rule('allow', 'rm x', { place: ['docker', 'local/other'] })], 'ask', 'judge'],
    ['this place', 'rm x', [rule('allow', 'rm x', { place: ['docker', 'local/main'] })], 'allow', 'rule'],
    ['this directory and below', 'rm x', [rule('allow', 'rm x', { cwd: ['~/'] })], 'allow', 'rule'],
    ['a directory with the same beginning', 'rm x', [rule('allow', 'rm x', { cwd: ['/home/dev/proj'] })], 'ask', 'judge'],
  ])('%s: %s', (_name, text, rules, verdict, by) => {
    expect(decided(text, rules)).toMatchObject({ verdict, by });
  });

  test('an unknown directory: an allow rule does not hold, a deny rule asks', () => {
    const one = command('rm x', { cwd: undefined });
    const at = (rules: readonly Rule[]) =>
      decide({ assessment: assess(judgement([one], [])), mode: 'manual', rules, place: home, home: '/home/dev' });
    expect(at([rule('deny', 'rm', { cwd: ['/srv'] })]).verdict).toBe('ask');
    const asked = assess(judgement([one], [finding(one)]));
    expect(
      decide({ assessment: asked, mode: 'manual', rules: [rule('allow', 'rm x', { cwd: ['/srv'] })], place: home, home: '/home/dev' })
        .verdict,
    ).toBe('ask');
  });

  test.each([
    'raw.bidi',
    'parse.error',
    'env.loader',
    'word.dynamic-command',
    'exec.pipe-to-shell',
    'exec.remote-code',
    'secret.read',
    'shell.lookup',
    'script.unread',
  ])('an allow rule does not lift %s, which its words do not cover', (id) => {
    const one = command('sh');
    const assessment = assess(judgement([one], [finding(one, { rule: id })]));
    expect(decide({ assessment, mode: 'manual', rules: [rule('allow', 'sh')], place: home, home: '/home/dev' }).verdict).toBe('ask');
  });

  test('an allow rule does not lift where the output goes', () => {
    const one = command('npm test', { writes: ['/home/dev/.bashrc'] });
    const assessment = assess(judgement([one], [finding(one, { rule: 'fs.write-startup', paths: ['/home/dev/.bashrc'] })]));
    expect(decide({ assessment, mode: 'manual', rules: [rule('allow', 'npm test')], place: home, home: '/home/dev' }).verdict).toBe('ask');
  });

  test('what is open names the commands that need an answer, and what belongs to none', () => {
    const decision = decided('ls; rm x; rm y "', [rule('allow', 'rm x')]);
    expect(decision.open.map((unit) => unit.command.argv.map((word) => word.text).join(' '))).toEqual(['rm y "']);
    expect(decision.loose.map((one) => one.rule)).toEqual(['parse.error']);
  });

  test('a verdict that its findings do not explain is not lost', () => {
    const assessment = assess({ ...judgement([command('ls')]), verdict: 'ask' });
    expect(decide({ assessment, mode: 'manual', rules: [rule('allow', 'ls')], place: home, home: '/home/dev' })).toMatchObject({
      verdict: 'ask',
      loose: [{ rule: 'judge.unlisted' }],
    });
  });

  test('the reason of a rule is told', () => {
    expect(decided('npm publish', [rule('deny', 'npm publish', { reason: 'releases come from CI' })]).findings[0]).toMatchObject({
      rule: 'rule.deny',
      severity: 'deny',
      reason: 'releases come from CI (deny rule npm publish (rules.yaml:2))',
    });
  });
});

describe('strict', () => {
  test.each<[string, string, Rule[], string]>([
    ['harmless without a rule', 'ls', [], 'deny'],
    ['nothing that can be named', '', [], 'deny'],
    ['allowed by a rule', 'ls', [rule('allow', 'ls')], 'allow'],
    ['one of two', 'ls; pwd', [rule('allow', 'ls')], 'deny'],
    ['both', 'ls; pwd', [rule('allow', 'ls'), rule('allow', 'pwd')], 'allow'],
    ['dangerous and allowed', 'rm x', [rule('allow', 'rm x')], 'allow'],
    ['dangerous without a rule is not asked', 'rm x', [], 'deny'],
    ['a rule says ask', 'ls', [rule('ask', 'ls')], 'ask'],
    ['wrapped in what a rule does not cover', 'sudo ls', [rule('allow', 'ls')], 'deny'],
    ['the floor', 'mkfs x', [rule('allow', 'mkfs x')], 'deny'],
  ])('%s: %s', (_name, text, rules, verdict) => {
    expect(decided(text, rules, 'strict').verdict).toBe(verdict);
  });
});

describe('off', () => {
  test.each<[string, string, Rule[], string]>([
    ['dangerous', 'rm x', [], 'allow'],
    ['not understood', 'rm x "', [], 'allow'],
    ['an ask rule', 'ls', [rule('ask', 'ls')], 'allow'],
    ['a deny rule', 'ls', [rule('deny', 'ls')], 'deny'],
    ['the floor', 'mkfs x', [], 'deny'],
    ['the floor in a wrapper', 'sudo -S ls', [], 'deny'],
  ])('%s: %s', (_name, text, rules, verdict) => {
    expect(decided(text, rules, 'off').verdict).toBe(verdict);
  });
});

test('a mode is one of three words', () => {
  expect(['manual', 'strict', 'off'].map(parseApprovalMode)).toEqual(['manual', 'strict', 'off']);
  for (const value of ['auto', 'OFF', '', undefined, true]) expect(() => parseApprovalMode(value)).toThrow('which is no mode');
});

describe('a finding finds its command', () => {
  test('by its words and its place in the text, when the words come twice', () => {
    const first = command('rm x', { cwd: '/a', span: { start: 0, end: 4 } });
    const second = command('rm x', { cwd: '/b', span: { start: 6, end: 10 } });
    const { units, loose } = assess(judgement([first, second], [finding(second)]));
    expect(units.map((unit) => unit.findings.length)).toEqual([0, 1]);
    expect(loose).toEqual([]);
  });
  test('every one that it may be about, when they cannot be told apart', () => {
    const one = command('rm x');
    const { units } = assess(judgement([one, { ...one }], [finding(one, { span: { start: 90, end: 91 } })]));
    expect(units.map((unit) => unit.findings.length)).toEqual([1, 1]);
  });
  test('none', () => {
    expect(assess(judgement([command('rm x')], [finding(command('rm y'))])).loose).toHaveLength(1);
  });
});
