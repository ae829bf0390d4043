import { describe, expect, test } from 'vitest';
import { readRules } from '../../../src/approval/rules/file.js';
import { formatRules, importRules } from '../../../src/approval/rules/import.js';
import { fakeJudge } from '../support/fake-judge.js';

const options = { judge: fakeJudge };
const settings = (permissions: Record<string, string[]>) => JSON.stringify({ permissions }, undefined, 2);

describe('Bash(…) lists', () => {
  test.each<[string, string, unknown[]]>([
    ['allow', 'Bash(npm run build)', ['npm', 'run', 'build']],
    ['allow', 'Bash(npm run test:*)', ['npm', 'run', 'test', '**']],
    ['allow', 'Bash(npm run test *)', ['npm', 'run', 'test', '**']],
    ['allow', 'Bash(npm run build*)', ['npm', 'run', 'build*', '**']],
    ['allow', 'Bash(git commit -m "a b":*)', ['git', 'commit', '-m', 'a b', '**']],
    ['allow', "Bash(ls '*')", ['ls', '\\*']],
    ['deny', 'Bash(rm:*)', ['rm', '**']],
    ['deny', 'Bash(ls*)', ['ls*', '**']],
    ['deny', 'Bash(git * main)', ['git', '**', 'main']],
    ['ask', 'Bash(* --force)', ['**', '--force']],
    ['deny', 'Bash(git:* push)', ['git:*', '**', 'push']],
  ])('%s %s', async (list, entry, argv) => {
    const { rules, refused } = await importRules(settings({ [list]: [entry] }), 'settings.json', options);
    expect(refused).toEqual([]);
    expect(rules).toMatchObject([{ decision: list, argv, origin: 'settings.json:4', tier: 'user' }]);
  });

  test.each<[string, string, string]>([
    ['allow', 'Bash', 'it is about every command'],
    ['deny', 'Bash(*)', 'it is about every command'],
    ['allow', 'Read(./src/**)', 'it is not about commands'],
    ['allow', 'WebFetch', 'it is not about commands'],
    ['allow', 'Bash(python:*)', 'python runs whatever its arguments say'],
    ['allow', 'Bash(bash -c:*)', 'bash -c runs whatever its arguments say'],
    ['allow', 'Bash(git:*)', 'git runs whatever its arguments say'],
    ['allow', 'Bash(sudo *)', 'sudo runs whatever its arguments say'],
    ['allow', 'Bash(docker exec *)', 'docker exec runs whatever its arguments say'],
    ['allow', 'Bash(* --version)', 'an allow rule must name its program without wildcards'],
    ['allow', 'Bash(ls*)', 'an allow rule must name its program without wildcards'],
    ['allow', 'Bash(git * main)', 'its wildcard stands before other words'],
    ['allow', 'Bash(npm test && npm publish)', 'it is about more than the words of one command'],
    ['deny', 'Bash(curl * | sh)', 'it is about more than the words of one command'],
    ['deny', 'Bash(echo $HOME)', 'it is about more than the words of one command'],
    ['deny', 'Bash(echo "a)', 'its quotes do not close'],
  ])('%s %s is refused by name', async (list, entry, why) => {
    const { rules, refused } = await importRules(settings({ [list]: [entry] }), 'settings.json', options);
    expect(rules).toEqual([]);
    expect(refused).toEqual([{ written: entry, origin: 'settings.json:4', why: expect.stringContaining(why) }]);
  });

  test('the rest of a list is imported, with warnings', async () => {
    const { rules, refused, warnings } = await importRules(
      settings({ allow: ['Bash(npm test)', 'Bash'], deny: ['Bash(npm publish)'] }),
      's.json',
      options,
    );
    expect(rules.map((rule) => [rule.decision, rule.origin])).toEqual([
      ['allow', 's.json:4'],
      ['deny', 's.json:8'],
    ]);
    expect(refused.map((one) => one.origin)).toEqual(['s.json:5']);
    expect(warnings).toEqual(['s.json:8: Bash(npm publish): it also matches when more words follow']);
  });

  test.each([
    ['{}', 's.json:1: has none of the lists allow, ask and deny under permissions'],
    ['{"permissions": {"allow": "Bash"}}', 's.json:1: permissions.allow: must be a list of texts'],
    ['{\n"permissions": {\n"allow": [\n7]}}', 's.json:4: permissions.allow.0: must be a text'],
    ['{"permissions": ', 's.json:1: '],
  ])('%j', async (text, message) => {
    await expect(importRules(text, 's.json', options)).rejects.toThrow(message);
  });
});

describe('prefix_rule calls', () => {
  test('a whole file', async () => {
    const text = `# releases
prefix_rule(
    pattern = ["git", ["push", 'fetch']],
    decision = "prompt",  # ask a person
    justification = "goes \\"out\\"",
    match = [["git", "push", "origin"], "git fetch"],
    not_match = ["git status"],
)
prefix_rule(pattern=["npm", "publish"], decision="forbidden")
prefix_rule(pattern=["ls", "*"])
host_executable(name="git", paths=["/usr/bin/git"])
prefix_rule(pattern=["bash", "-lc"], decision="allow",)
`;
    const { rules, refused, warnings } = await importRules(text, 'default.rules', options);
    expect(rules).toMatchObject([
      {
        decision: 'ask',
        argv: ['git', ['push', 'fetch'], '**'],
        reason: 'goes "out"',
        match: ['git push origin', 'git fetch'],
        notMatch: ['git status'],
        origin: 'default.rules:2',
      },
      { decision: 'deny', argv: ['npm', 'publish', '**'], origin: 'default.rules:9' },
      { decision: 'allow', argv: ['ls', '\\*', '**'], origin: 'default.rules:10' },
    ]);
    expect(refused).toEqual([
      {
        written: 'host_executable(name="git", paths=["/usr/bin/git"])',
        origin: 'default.rules:11',
        why: expect.stringContaining('not bound to paths'),
      },
      {
        written: 'prefix_rule(pattern=["bash", "-lc"], decision="allow",)',
        origin: 'default.rules:12',
        why: expect.stringContaining('bash -lc runs whatever its arguments say'),
      },
    ]);
    expect(warnings).toEqual(['default.rules:10: prefix_rule(pattern=["ls", "*"]): it names no decision, which means allow']);
  });

  test.each([
    ['X = ["git"]\n', 'r.rules:1: X is computed: only calls with literal texts and lists can be read'],
    ['\nload("x.star", "y")', 'r.rules:2: expected an argument by name'],
    ['other(a="b")', 'r.rules:1: other is not known'],
    ['prefix_rule(pattern=["git"] + X)', 'r.rules:1: expected , or )'],
    ['prefix_rule(\n pattern=X)', 'r.rules:2: expected a text in quotes or a list: what has to be computed cannot be read'],
    ['prefix_rule(pattern=[x for x in y])', 'r.rules:1: expected a text in quotes'],
    ['prefix_rule(pattern=["a", f"b"])', 'r.rules:1: expected a text in quotes'],
    ['prefix_rule(pattern="git")', 'r.rules:1: pattern must be a list of words'],
    ['prefix_rule(pattern=[])', 'r.rules:1: pattern must be a list of words'],
    ['prefix_rule(pattern=["git", []])', 'r.rules:1: an alternative in pattern must be a list of words'],
    ['prefix_rule(pattern=["git"], decision="yes")', 'r.rules:1: decision is "yes", expected allow, prompt or forbidden'],
    ['prefix_rule(pattern=["git"], decision="constructor")', 'r.rules:1: decision is "constructor"'],
    ['prefix_rule(pattern=["git"], pattern=["rm"])', 'r.rules:1: pattern is given twice'],
    ['prefix_rule(pattern=["git"], extra="x")', 'r.rules:1: extra is no argument of prefix_rule'],
    ['prefix_rule(pattern=["a\\x41"])', 'r.rules:1: \\x is not understood'],
    ['prefix_rule(pattern=["git"', 'r.rules:1: expected , or ]'],
    [
      'prefix_rule(pattern=["git", "push"], decision="prompt", match=["git pull"])',
      'r.rules:1: prefix_rule(pattern=["git", "push"], decision="prompt", match=["git pull"]): match: "git pull" is not matched by the rule',
    ],
    ['prefix_rule(pattern=["ls"], not_match=[["ls", "a b"]])', 'not_match: "ls \'a b\'" is matched by the rule'],
  ])('%j is refused with its line, and nothing is imported', async (text, message) => {
    await expect(importRules(text, 'r.rules', options)).rejects.toThrow(message);
  });
});

test('what is imported can be written as a rule file and read again', async () => {
  const { rules } = await importRules(
    settings({ allow: ['Bash(npm run test:*)'], deny: ['Bash(git push --force:*)'], ask: ["Bash(echo '*')"] }),
    's.json',
    options,
  );
  const again = await readRules(await formatRules(rules), 'rules.yaml', { tier: 'user', judge: fakeJudge });
  expect(again.rules.map(({ decision, argv }) => [decision, argv])).toEqual(rules.map(({ decision, argv }) => [decision, argv]));
});
