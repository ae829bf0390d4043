import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ApprovalRequest, Finding } from '@petasos/core';
import pico from 'picocolors';
import { describe, expect, it } from 'vitest';
import { askOn } from '../src/session/ask-person.js';
import { approvalPrompt, readPromptLine } from '../src/ui/approval-prompt.js';
import { commandView } from '../src/ui/command-view.js';

const plain = pico.createColors(false);
const coloured = pico.createColors(true);
const view = (command: string, marks: [number, number][] = [], columns = 80, mostRows?: number) =>
  commandView(
    command,
    marks.map(([start, end]) => ({ start, end })),
    { columns, style: plain, mostRows },
  ).text;

function finding(command: string, part: string, overrides: Partial<Finding> = {}): Finding {
  const start = command.indexOf(part);
  return {
    rule: 'fs.delete-recursive',
    severity: 'ask',
    judged: 'ask',
    span: { start, end: start + part.length },
    argv: part.split(' '),
    via: [],
    reason: 'It deletes build with everything in it.',
    reach: 'filesystem',
    durable: true,
    ...overrides,
  };
}

function question(command: string, findings: readonly Finding[], overrides: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    operation: 'exec',
    command,
    cwd: '/home/dev/project',
    judgement: { verdict: 'ask', findings, commands: [] },
    findings,
    place: {
      backend: 'local',
      sandbox: 'default',
      machine: { name: 'laptop', os: 'linux' },
      user: { name: 'dev', uid: 1000 },
      shell: { path: '/bin/bash', kind: 'bash' },
      workdir: '/home/dev/project',
      home: '/home/dev',
      mounts: [],
      forwarded: [],
      network: { mode: 'open' },
      limits: {},
      isolation: 'none',
      storage: 'host',
      lifetimeLeftMs: null,
      cost: { class: 'free' },
      agent: { machine: 'laptop', kind: 'host' },
      warnings: [],
    },
    sandbox: { backend: 'local', id: '1', name: 'default' },
    choices: ['once', 'session', 'always', 'deny'],
    signal: new AbortController().signal,
    timeoutMs: 300_000,
    ...overrides,
  };
}

describe('a command as a person sees it', () => {
  it('carets stand under the dangerous parts, without colour too', () => {
    expect(view('npm ci && rm -rf build', [[10, 22]])).toBe('  npm ci && rm -rf build\n            ^^^^^^^^^^^^\n');
  });

  it('lines stay lines, and each has its own carets', () => {
    expect(view('cat <<E\nrm -rf x\nE\nrm y', [[19, 23]])).toBe('  cat <<E\n  rm -rf x\n  E\n  rm y\n  ^^^^\n');
    expect(view('rm \\\n  x', [[0, 8]])).toBe('  rm \\\n  ^^^^\n    x\n  ^^^\n');
  });

  it.each([
    ['an escape sequence', 'ls\u001b[2K\u001b[1A', '  ls<U+001B>[2K<U+001B>[1A\n'],
    ['a carriage return', 'rm -rf /\rls', '  rm -rf /<U+000D>ls\n'],
    ['text that runs backwards', 'ls \u202egnp.exe', '  ls <U+202E>gnp.exe\n'],
    ['nothing visible', 'r\u200bm x', '  r<U+200B>m x\n'],
    ['a blank that is none', 'ls\u00a0x', '  ls<U+00A0>x\n'],
    ['a tab', 'ls\tx', '  ls<tab>x\n'],
    ['a line separator', 'ls\u2028rm', '  ls<U+2028>rm\n'],
    ['tag characters', 'ls \u{e0041}', '  ls <U+E0041>\n'],
    ['a lone surrogate', 'ls \ud800', '  ls <U+D800>\n'],
    ['NUL', 'ls \0', '  ls <U+0000>\n'],
  ])('%s is shown', (_name, command, shown) => {
    expect(view(command)).toBe(shown);
  });

  it('blanks cannot push anything out of sight', () => {
    expect(view(`ls${' '.repeat(5000)}; rm -rf x`, [[5004, 5012]])).toBe('  ls<5000 blanks>; rm -rf x\n                   ^^^^^^^^\n');
  });

  it('a long line is broken, never cut, and its carets with it', () => {
    const command = `echo ${'a'.repeat(100)} && rm -rf ${'b'.repeat(60)}`;
    const text = view(command, [[109, command.length]], 60);
    const rows = text.split('\n').filter((row) => row !== '' && !/^ *\^+$/.test(row));
    expect(rows.map((row) => row.trimStart()).join('')).toBe(command.replace(/ $/, ''));
    expect(Math.max(...text.split('\n').map((row) => row.length))).toBeLessThanOrEqual(60);
    expect([...text].filter((character) => character === '^')).toHaveLength(command.length - 109);
  });

  it('wide and combining characters keep the carets in place', () => {
    expect(view('echo 日本 e\u0301 rm', [[11, 13]])).toBe(`  echo 日本 e\u0301 rm\n${' '.repeat(14)}^^\n`);
  });

  it('of a very long command, everything that matters is shown and the rest is counted', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `echo ${index}`);
    lines[250] = 'rm -rf x';
    const command = lines.join('\n');
    const start = command.indexOf('rm -rf x');
    const text = view(command, [[start, start + 8]], 80, 10);
    expect(text).toContain('  rm -rf x\n  ^^^^^^^^\n');
    expect(text).toContain('  echo 0\n');
    expect(text).toContain('  echo 499\n');
    expect(text.match(/… (\d+) more lines without anything to decide/g)).toHaveLength(2);
    expect(text.split('\n').length).toBeLessThan(25);
  });

  it('colours are added to the carets, not put in their place', () => {
    const text = commandView('rm x', [{ start: 0, end: 4 }], { columns: 80, style: coloured }).text;
    expect(text).toContain('\u001b[31m^^^^\u001b[39m');
  });
});

describe('the prompt', () => {
  it('fits in 80 columns, without colour', () => {
    const command = 'npm ci && rm -rf build && git push --force';
    const text = approvalPrompt(
      question(command, [
        finding(command, 'rm -rf build'),
        finding(command, 'git push --force', {
          rule: 'git.force-push',
          reason: 'It replaces the history of a remote branch, and what others have pushed there since is lost to everybody.',
          alternative: 'git push --force-with-lease',
          via: ['sudo'],
        }),
      ]),
      { columns: 80, style: plain },
    ).text;
    expect(text).toBe(`
Petasos asks: may this run?

  npm ci && rm -rf build && git push --force
            ^^^^^^^^^^^^    ^^^^^^^^^^^^^^^^

  ! It deletes build with everything in it. (fs.delete-recursive)
  ! It replaces the history of a remote branch, and what others have pushed
    there since is lost to everybody. (git.force-push, through sudo)
    Less harmful: git push --force-with-lease

  in  local/default on laptop, as dev
  at  /home/dev/project

  o  once: this time
  s  session: this command, until Petasos ends
  a  always: this command, in this place and directory
  d  deny; what you write after it is told to the caller
`);
  });

  it('offers only what can be answered', () => {
    const prompt = approvalPrompt(question('rm x', [finding('rm x', 'rm x')], { choices: ['once', 'deny'] }), {
      columns: 80,
      style: plain,
    });
    expect(prompt.question).toBe('Answer (o, d; Enter denies): ');
    expect(prompt.text).not.toContain('always');
  });

  it('text from the place cannot repaint the terminal', () => {
    const request = question('rm x', [finding('rm x', 'rm x', { reason: 'bad \u001b[2J file' })], { cwd: '/tmp/\u001b[1Aevil\nnext' });
    expect(approvalPrompt(request, { columns: 80, style: plain }).text).not.toContain('\u001b');
  });

  it.each<[string, unknown]>([
    ['', { choice: 'deny' }],
    ['   ', { choice: 'deny' }],
    ['o', { choice: 'once' }],
    ['once', { choice: 'once' }],
    ['s', { choice: 'session' }],
    ['always', { choice: 'always' }],
    ['d', { choice: 'deny' }],
    ['d use git clean', { choice: 'deny', reason: 'use git clean' }],
    ['deny no', { choice: 'deny', reason: 'no' }],
    ['y', undefined],
    ['yes', undefined],
    ['O', undefined],
    ['o k', undefined],
    ['ok', undefined],
    ['constructor', undefined],
  ])('the line %j means %j', (line, answer) => {
    expect(readPromptLine(line, ['once', 'session', 'always', 'deny'])).toEqual(answer);
  });

  it('what is not offered is no answer', () => {
    expect(readPromptLine('a', ['once', 'deny'])).toBeUndefined();
  });
});

describe('asking', () => {
  async function asked(input: string | undefined, overrides: Partial<ApprovalRequest> = {}, command = 'rm x') {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    if (input !== undefined) stdin.end(input);
    const answer = await askOn(stdin, stdout, question(command, [finding(command, 'rm x')], overrides), {
      columns: 80,
      style: plain,
      by: 'ann',
    });
    return { answer, shown: String(stdout.read()) };
  }

  it.each([
    ['o\n', { choice: 'once', by: 'ann' }],
    ['\n', { choice: 'deny', by: 'ann' }],
    ['', { choice: 'deny', by: 'ann' }],
    ['y\no\n', { choice: 'once', by: 'ann' }],
    ['y\nyes\nok\no\n', { choice: 'deny', by: 'ann' }],
    ['d too much\n', { choice: 'deny', reason: 'too much', by: 'ann' }],
  ])('%j is %j', async (input, answer) => {
    expect((await asked(input)).answer).toEqual(answer);
  });

  it('a request that is given up ends the question', async () => {
    const controller = new AbortController();
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const request = question('rm x', [finding('rm x', 'rm x')], { signal: controller.signal });
    const pending = askOn(stdin, stdout, request, { columns: 80, style: plain, by: 'ann' });
    await once(stdout, 'readable');
    controller.abort();
    expect(await pending).toEqual({ choice: 'deny', by: 'ann' });
    expect(String(stdout.read())).toContain('Too late: denied.');
  });

  it('a request that was given up before is not asked', async () => {
    const { answer, shown } = await asked(undefined, { signal: AbortSignal.abort() });
    expect(answer).toEqual({ choice: 'deny', by: 'ann' });
    expect(shown).toBe('null');
  });

  it('nor is one that is given up at once', async () => {
    const controller = new AbortController();
    const pending = asked(undefined, { signal: controller.signal });
    controller.abort();
    expect((await pending).answer).toEqual({ choice: 'deny', by: 'ann' });
  });

  it('v shows all of a long command before it is decided', async () => {
    const command = `${'echo\n'.repeat(100)}rm x`;
    const { answer, shown } = await asked('v\no\n', {}, command);
    expect(answer.choice).toBe('once');
    expect(shown.split('\n').filter((row) => row === '  echo').length).toBeGreaterThan(100);
  });
});
