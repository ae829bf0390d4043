import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/approval/judge.js';
import { local } from './context.js';

/** A small generator with a seed, so that a failure can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const pieces = [
  'rm',
  '-rf',
  '/',
  '~',
  '$x',
  '${x:-y}',
  '${x//a/b}',
  '$(',
  ')',
  '`',
  '"',
  "'",
  '\\',
  '\n',
  ';',
  '&',
  '&&',
  '|',
  '||',
  '>',
  '>>',
  '<',
  '<<E',
  '<<<',
  '<(',
  '>(',
  '((',
  '))',
  '[[',
  ']]',
  '{',
  '}',
  '{a,b}',
  '{1..9}',
  'if',
  'then',
  'fi',
  'for',
  'in',
  'do',
  'done',
  'case',
  'esac',
  'while',
  'function',
  'f()',
  'E',
  '$((',
  '$[',
  '*',
  '?',
  '[a]',
  '@(',
  '#',
  '!',
  '=',
  'x=1',
  'a[$(x)]',
  '\u202e',
  '\0',
  '\ud800',
  '\ue000',
  '\ue004',
  '\r',
  '\t',
  ' ',
  'sudo',
  'env',
  'xargs',
  'find',
  '-exec',
  '{}',
  '+',
  'bash',
  '-c',
  'eval',
  'trap',
  'git',
  'push',
  '-f',
  'sed',
  's/a/b/e',
  'awk',
  '{print}',
  'python3',
  'docker',
  'run',
  '-v',
  '/:/x',
  'kubectl',
  'delete',
  'psql',
  'DROP TABLE',
  'printf',
  '%s',
  '-v',
  'alias',
  'declare',
  '-n',
  'read',
  'set',
  '--',
  '"$@"',
  'cd',
  '..',
  'tar',
  'dd',
  'of=',
  'curl',
  'http://x',
  'ssh',
  'parallel',
  ':::',
  'coproc',
  'select',
  'time',
  '2>&1',
  '&>',
  'é',
  '👩‍💻',
  '\u200b',
];

const everyday = [
  'git commit -m "fix: x" && git push origin main',
  "cat > a.sh <<'EOF'\nrm -rf build\nEOF\nbash a.sh",
  'for f in *.ts; do sed -i "s/a/b/" "$f"; done',
  'find . -name "*.log" -exec rm {} \\; | xargs -I{} sh -c "echo {}"',
  'docker run --rm -v "$PWD":/app node:20 npm test | tee out.log',
  'x=${y:-$(date)}; echo "${x%%-*}" > /tmp/o 2>&1',
  'python3 -c "import os; print(os.environ[\'HOME\'])" <<< "$(cat f)"',
];

describe('the judge never fails', () => {
  it('on 100 000 random and mutated texts, and none takes long', () => {
    const next = random(20_26);
    const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(next() * list.length)] as Item;
    let slowest = 0;
    for (let round = 0; round < 100_000; round++) {
      let text: string;
      if (round % 3 === 0) {
        const base = pick(everyday);
        const at = Math.floor(next() * base.length);
        const cut = Math.floor(next() * 4);
        text = base.slice(0, at) + pick(pieces) + base.slice(at + cut);
      } else {
        text = '';
        for (let count = Math.floor(next() * 14); count >= 0; count--) text += pick(pieces) + (next() < 0.7 ? ' ' : '');
      }
      // Time of this process, so that a busy machine does not count against the judge.
      const start = process.cpuUsage();
      const { verdict, findings } = judge(text, local);
      slowest = Math.max(slowest, process.cpuUsage(start).user / 1000);
      if (!['allow', 'ask', 'deny'].includes(verdict) || findings.some((finding) => finding.rule === 'judge.failed'))
        expect.fail(`${JSON.stringify(text)}: ${verdict}`);
    }
    expect(slowest).toBeLessThan(1000);
  }, 60_000);

  const mebibyte = (piece: string): string => piece.repeat(Math.floor((1 << 20) / piece.length));
  it.each([
    ['data', `cat > f <<'EOF'\n${mebibyte('a line with rm -rf / in it\n').slice(0, -30)}\nEOF\n`, 'allow'],
    ['a quoted word', `echo '${mebibyte('a').slice(0, -10)}'`, 'allow'],
    ['a commit message', `git commit -m '${mebibyte('word ').slice(0, -30)}'`, 'allow'],
    ['comments', mebibyte('# rm -rf /\n'), 'allow'],
  ])('on a mebibyte of %s, without asking for its size', (_, text, verdict) => {
    expect(judge(text, local).verdict).toBe(verdict);
  });

  it.each([
    '(',
    '$(',
    '"$(',
    '`',
    '{ ',
    'if ',
    '${x:-',
    '$((',
    '<(',
    '[[ ( ',
    '\\',
    "'",
    ')',
    '))',
    'env ',
    'sudo ',
    'a=',
    '{a,',
    '{1..999} ',
    '${a:-x} ',
    '@(',
    '*',
    '../',
    'f() {',
    'case x in x) ',
    '|',
    '&&',
  ])('on a mebibyte of %j', (piece) => {
    const text = mebibyte(piece);
    expect(['allow', 'ask', 'deny']).toContain(judge(text, local).verdict);
    expect(judge(text, local).findings.map((finding) => finding.rule)).not.toContain('judge.failed');
  });

  it.each([
    ['(', ')'],
    ['$(', ')'],
    ['"$(', ')"'],
    ['{ ', '; }'],
    ['if true; then ', '; fi'],
    ['${x:-', '}'],
    ['<(', ')'],
    ['while x; do ', '; done'],
  ])('on 10 000 levels of %s', (open, close) => {
    const text = `echo ${open.repeat(10_000)}rm -rf /${close.repeat(10_000)}`;
    const judgement = judge(text, local);
    expect(judgement.verdict).not.toBe('allow');
    expect(judgement.findings.map((finding) => finding.rule)).not.toContain('judge.failed');
  });

  it('asks beyond a mebibyte, and still denies what stands at the beginning', () => {
    expect(judge(`echo '${'a'.repeat(1 << 20)}'`, local).verdict).toBe('ask');
    expect(judge(`rm -rf /\necho '${'a'.repeat(1 << 20)}'`, local).verdict).toBe('deny');
  });

  it('does not lose a denial behind a counter', () => {
    expect(judge(`${'true && '.repeat(500)}rm -rf /`, local).verdict).toBe('deny');
    expect(judge(`rm -rf /; ${'ls;'.repeat(30_000)}`, local).verdict).toBe('deny');
    expect(judge(`echo ${'${a:-x} '.repeat(40)}; rm -rf \${b:-/}`, local).verdict).toBe('deny');
    expect(judge(`rm -rf ${'${a:-x} '.repeat(40)}\${b:-/}`, local).verdict).toBe('deny');
  });
});
