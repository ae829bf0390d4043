import { describe, expect, test } from 'vitest';
import { matchesExactly, matchesWidely, type WordPattern, withoutGlobalOptions } from '../../../src/approval/rules/pattern.js';
import { command } from '../support/commands.js';

const words = (text: string) => command(text).argv;

describe('an allow rule', () => {
  test.each<[WordPattern[], string]>([
    [['npm', 'test'], 'npm test'],
    [['npm', 'run', ['test', 'lint']], 'npm run lint'],
    [['npm', 'run', '*'], 'npm run anything'],
    [['npm', 'run', '**'], 'npm run'],
    [['npm', 'run', '**'], 'npm run test -- --watch'],
    [['git', '**', 'main'], 'git push origin main'],
    [['git', '**', 'main', '**'], 'git main main x'],
    [['npm', 'run', 'build:*'], 'npm run build:prod'],
    [['a', '*x*y*'], 'a 1x2y3'],
    [['a', '*aba'], 'a ababa'],
    [['a', '\\*'], 'a *'],
  ])('%j matches %s', (pattern, text) => {
    expect(matchesExactly(pattern, words(text))).toBe(true);
  });

  test.each<[WordPattern[], string]>([
    [['npm', 'test'], 'npm test x'],
    [['npm', 'test'], 'npm'],
    [['npm', 'test'], '/tmp/npm test'],
    [['npm', 'run', '*'], 'npm run'],
    [['npm', 'run', '*'], 'npm run a b'],
    [['npm', 'run', 'build:*'], 'npm run xbuild:prod'],
    [['npm', '**'], 'npmx run'],
    [['npm', '**'], 'npm run …'],
    [['a', 'ab*ba'], 'a aba'],
    [['a', '\\*'], 'a b'],
    [['a', '**', 'b'], 'a b c'],
  ])('%j does not match %s', (pattern, text) => {
    expect(matchesExactly(pattern, words(text))).toBe(false);
  });
});

describe('a deny or ask rule', () => {
  test.each<[WordPattern[], string, string]>([
    [['git', 'push'], 'git push', 'certain'],
    [['git', 'push'], 'git push origin main', 'certain'],
    [['git', 'push'], '/usr/bin/git push', 'certain'],
    [['/usr/bin/git', 'push'], 'git push', 'certain'],
    [['git', 'push', '**', '--force'], 'git push origin --force main', 'certain'],
    [['git', 'push'], 'git pull', 'no'],
    [['git', 'push'], 'git', 'no'],
    [['git', 'push'], 'git …', 'possible'],
    [['git', 'push'], '… x', 'possible'],
    [['git', 'push'], 'git push …', 'certain'],
    [['rm', '-rf', '/'], 'rm …', 'possible'],
    [['rm', '-rf', '/'], 'rm -rf … b', 'possible'],
    [['rm', '-rf', '/'], 'ls …', 'no'],
  ])('%j and %s: %s', (pattern, text, match) => {
    expect(matchesWidely(pattern, words(text))).toBe(match);
  });
});

test.each([
  ['git -C /x -c a.b=c push', 'git push'],
  ['/usr/bin/git --no-pager push', '/usr/bin/git push'],
  ['docker --context prod rm x', 'docker rm x'],
  ['kubectl -n a delete pod x', 'kubectl delete pod x'],
  ['tar -C /x -c y', 'tar -C /x -c y'],
])('the subcommand is found behind global options: %s', (text, rest) => {
  expect(
    withoutGlobalOptions(words(text))
      .map((word) => word.text)
      .join(' '),
  ).toBe(rest);
});

test('many stars and many words take time in proportion', { timeout: 10_000 }, () => {
  const pattern = ['a', ...Array.from({ length: 30 }, () => ['**', 'x']).flat(), 'end'];
  const text = `a ${'x '.repeat(20_000)}y`;
  expect(matchesExactly(pattern, words(text))).toBe(false);
  expect(matchesExactly(['a', `${'*a'.repeat(40)}b`], words(`a ${'a'.repeat(200_000)}`))).toBe(false);
});
