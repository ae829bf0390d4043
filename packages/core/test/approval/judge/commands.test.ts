import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/approval/judge.js';
import { local } from './context.js';

const argvOf = (command: string): string[][] => judge(command, local).commands.map(({ argv }) => argv.map((word) => word.text));

describe('what a text would run', () => {
  it.each([
    [
      'sudo -u bob nice -n 5 ls -l',
      [
        ['sudo', '-u', 'bob', 'nice', '-n', '5', 'ls', '-l'],
        ['nice', '-n', '5', 'ls', '-l'],
        ['ls', '-l'],
      ],
    ],
    [
      "sh -c 'make test' && echo ok",
      [
        ['sh', '-c', 'make test'],
        ['make', 'test'],
        ['echo', 'ok'],
      ],
    ],
    ['a=git; $a status', [['git', 'status']]],
    ['echo {a,b}{1..2}', [['echo', 'a1', 'a2', 'b1', 'b2']]],
    ["IFS=:; w='ls:-l'; $w", [['ls', '-l']]],
    ['x=abcd; echo ${x:1:2} ${x#a} ${x%d} ${x/b/-} ${#x} ${x^^}', [['echo', 'bc', 'bcd', 'abc', 'a-cd', '4', 'ABCD']]],
    ['a=(ls -l); "${a[@]}" "${a[1]}"', [['ls', '-l', '-l']]],
    ['n=x; x=ls; ${!n}; declare -n r=x; $r', [['ls'], ['declare', '-n', 'r=x'], ['ls']]],
    [
      'f() { ls "$2"; }; f a b',
      [
        ['ls', '…'],
        ['ls', 'b'],
      ],
    ],
    [
      'find . -exec ls {} +',
      [
        ['find', '.', '-exec', 'ls', '{}', '+'],
        ['ls', './…'],
      ],
    ],
    [
      'printf "a\\nb" | xargs ls',
      [
        ['printf', 'a\\nb'],
        ['xargs', 'ls'],
        ['ls', 'a', 'b'],
      ],
    ],
    ["git -c alias.x='!ls' x", [['git', '-c', 'alias.x=!ls', 'x'], ['ls']]],
    ["cat <<'END'\nrm -rf /\nEND", [['cat']]],
  ])('%s', (command, expected) => {
    expect(argvOf(command)).toEqual(expected);
  });

  it('carries the directory, the environment, the script and what is written', () => {
    const { commands } = judge('cd src && A=1 bash ./run.sh x > ../out.log', local);
    expect(commands[1]).toMatchObject({
      cwd: '/home/dev/project/src',
      env: [{ name: 'A', value: '1' }],
      writes: ['/home/dev/project/out.log'],
      script: { path: '/home/dev/project/src/run.sh', interpreter: 'bash' },
      static: true,
      wrapper: true,
      durable: false,
    });
  });

  it('says which commands may be remembered, and which gain rights', () => {
    const [outer, inner] = judge('sudo npm test', local).commands;
    expect(outer).toMatchObject({ wrapper: true, privileged: true, durable: false, via: [] });
    expect(inner).toMatchObject({ wrapper: false, privileged: false, durable: true, via: ['sudo'] });
    expect(judge('ls "$X"', local).commands[0]).toMatchObject({ static: false });
  });
});

describe('findings', () => {
  it('stand where the dangerous part is', () => {
    const text = 'ls && git reset --hard; echo done';
    const { findings } = judge(text, local);
    expect(findings).toHaveLength(1);
    const finding = findings[0];
    expect(text.slice(finding?.span.start, finding?.span.end)).toBe('git reset --hard');
    expect(finding).toMatchObject({
      rule: 'git.reset-hard',
      severity: 'ask',
      reach: 'filesystem',
      alternative: 'git stash',
      durable: true,
    });
  });

  it('of a payload stand at the command that carries it, and tell the way', () => {
    const text = "ls; sudo sh -c 'rm -rf /'";
    const finding = judge(text, local).findings.find(({ rule }) => rule === 'fs.delete-root');
    expect(text.slice(finding?.span.start, finding?.span.end)).toBe("sudo sh -c 'rm -rf /'");
    expect(finding).toMatchObject({ via: ['sudo', 'sh -c'], argv: ['rm', '-rf', '/'], paths: ['/'] });
  });

  it('come strictest first', () => {
    expect(judge('git push -f; rm -rf /; git reset --hard', local).findings.map(({ severity }) => severity)).toEqual([
      'deny',
      'ask',
      'ask',
    ]);
  });
});

describe('characters that hide something', () => {
  it.each([
    ['r\u202em x', 'raw.bidi'],
    ['ls\u200b', 'raw.invisible'],
    ['ls\u00a0x', 'raw.space'],
    ['ls\r', 'raw.control'],
    ['echo \u001b[2K', 'raw.control'],
    ['echo \ud800', 'raw.surrogate'],
    ['echo \u{e0041}', 'raw.invisible'],
    ['echo \ue000', 'raw.invisible'],
    ['ｒｍ x', 'raw.look-alike'],
    ['gіt status', 'raw.look-alike'],
  ])('%j: %s', (command, rule) => {
    const judgement = judge(command, local);
    expect(judgement.verdict).not.toBe('allow');
    expect(judgement.findings.map((finding) => finding.rule)).toContain(rule);
  });

  it.each(['echo "grüße, 世界 👩‍💻 🏳️‍🌈"', 'git commit -m "é：，"', 'ls\t-l', 'echo a\necho b'])('not in %j', (command) => {
    expect(judge(command, local).verdict).toBe('allow');
  });
});
