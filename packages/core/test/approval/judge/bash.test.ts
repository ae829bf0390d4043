import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judge } from '../../../src/approval/judge.js';
import type { JudgeContext } from '../../../src/approval/verdict.js';

const run = promisify(execFile);

/** Stubs that write down how they were called, each in one piece because some run at the same time. None of them does anything else. */
const stubs = ['rm', 'git', 'ls', 'npm', 'dd', 'curl', 'kubectl', 'launcher', 'grep', 'make'];

let directory = '';
let log = '';

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'petasos-judge-'));
  log = path.join(directory, 'log');
  await mkdir(path.join(directory, 'bin'));
  await mkdir(path.join(directory, 'work'));
  for (const name of stubs) {
    const file = path.join(directory, 'bin', name);
    await writeFile(
      file,
      `#!/bin/bash\nline='${name}'; for word in "$@"; do line+=$'\\x1f'$word; done; printf '%s\\x1e' "$line" >> '${log}'\n`,
    );
    await chmod(file, 0o755);
  }
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Every command that bash starts, as lists of words. Builtins aside, only stubs can be found. */
async function executed(text: string): Promise<string[][]> {
  await writeFile(log, '');
  await run('/bin/bash', ['--noprofile', '--norc', '-c', text], {
    cwd: path.join(directory, 'work'),
    env: { PATH: path.join(directory, 'bin'), HOME: '/home/dev' },
    timeout: 5000,
  }).catch(() => undefined);
  const text_ = await readFile(log, 'utf8');
  return text_
    .split('\x1e')
    .filter(Boolean)
    .map((call) => call.split('\x1f'));
}

const name = fc.constantFrom(...stubs);
const word = fc.constantFrom(
  'a',
  '-rf',
  '/',
  'reset',
  '--hard',
  'x.txt',
  "'b c'",
  '"d e"',
  '$v',
  '"$v"',
  '${u:-w}',
  '"${v}z"',
  '{p,q}',
  'a{1..3}',
  "$'\\x2d\\x66'",
  '$(printf k)',
  '`printf m`',
  '~',
  '~/y',
  'n\\ o',
  '""',
  '$((1+2))',
  '"$@"',
  '${v#v}',
  '${v/v/W}',
  '${v^^}',
  '$IFS',
  'o=p',
);
const simple = fc.tuple(name, fc.array(word, { maxLength: 4 })).map(([program, words]) => [program, ...words].join(' '));
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const { text: generated } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    simple,
    fc
      .tuple(tie('text'), fc.constantFrom('; ', ' && ', ' || ', '\n', ' | ', ' & '), tie('text'))
      .map(([left, operator, right]) => `${left}${operator}${right}`),
    tie('text').map((inner) => `( ${inner} )`),
    tie('text').map((inner) => `{ ${inner}\n}`),
    tie('text').map((inner) => `if true; then ${inner}\nfi`),
    tie('text').map((inner) => `for i in 1 2; do ${inner}\ndone`),
    tie('text').map((inner) => `case a in a) ${inner}\n;; esac`),
    tie('text').map((inner) => `f() { ${inner}\n}; f one two`),
    tie('text').map((inner) => `ls "$( ${inner}\n)"`),
    tie('text').map((inner) => `/bin/bash -c ${quote(inner)} zero one`),
    tie('text').map((inner) => `eval ${quote(inner)}`),
    tie('text').map((inner) => `/bin/bash <<< ${quote(inner)}`),
    tie('text').map((inner) => `trap ${quote(inner)} EXIT`),
    tie('text').map((inner) => `v=v1; w=${quote(inner)}; eval "$w"`),
    simple.map((inner) => `c=${quote(inner.replace(/[$`{}'"~\\]/g, ''))}; $c`),
    fc.tuple(name, fc.constantFrom('launcher', 'rm', 'git')).map(([left, right]) => `x=${left} y=${right}; $x a; "$y" b`),
    simple.map((inner) => `set -- ${inner}; "$@"`),
    simple.map((inner) => `a=(${inner}); "\${a[@]}"`),
    simple.map((inner) => `v=1 ${inner} > out 2>&1`),
    tie('text').map((inner) => `while true; do ${inner}\nbreak; done`),
    tie('text').map((inner) => `! ${inner}`),
  ),
}));

describe('what bash executes', () => {
  const context = (): JudgeContext => ({
    place: 'local',
    isolated: false,
    cwd: path.join(directory, 'work'),
    home: '/home/dev',
    user: 'dev',
  });

  it('was resolved by the judge, or was not allowed', async () => {
    await fc.assert(
      fc.asyncProperty(generated, async (text) => {
        const judgement = judge(text, context());
        if (judgement.verdict !== 'allow') return;
        const seen = judgement.commands;
        for (const call of await executed(text)) {
          const found = seen.some(
            ({ argv }) =>
              argv.some((one) => !one.literal) ||
              (argv.length === call.length &&
                argv.every((one, index) => (index === 0 ? path.basename(one.text) === call[0] : one.text === call[index]))),
          );
          if (!found)
            throw new Error(
              `${JSON.stringify(text)} runs ${JSON.stringify(call)}, but was read as ${JSON.stringify(seen.map(({ argv }) => argv.map((one) => one.text)))}`,
            );
        }
      }),
      { numRuns: 400, seed: 2026 },
    );
  }, 60_000);

  it('holds exactly where every word is known', async () => {
    await fc.assert(
      fc.asyncProperty(generated, async (text) => {
        const { commands } = judge(text, context());
        if (!commands.every((command) => command.static)) return;
        const read = new Set(
          commands.map(({ argv }) => JSON.stringify([path.basename(argv[0]?.text ?? ''), ...argv.slice(1).map((one) => one.text)])),
        );
        for (const call of await executed(text)) expect([...read]).toContain(JSON.stringify(call));
      }),
      { numRuns: 400, seed: 2026 },
    );
  }, 60_000);
});
