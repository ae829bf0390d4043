import { describe, expect, test } from 'vitest';
import { memorable, placeIdentity, subjectId } from '../../../src/approval/memory/subject.js';
import { assess } from '../../../src/approval/policy/assessment.js';
import type { Placement } from '../../../src/contract/placement.js';
import { command, finding, home, judgement, oneUnit } from '../support/commands.js';

const base = command('rm -rf build');

function idOf(of = base, place = home, text = 'rm -rf build', overrides = {}): string {
  const { unit, assessment } = oneUnit(of, overrides);
  const answer = memorable(unit, assessment, place, text);
  if (answer === undefined) throw new Error('not memorable');
  return subjectId(answer.subject);
}

describe('the same', () => {
  test('blanks and quotes of the text, and where in it the command stands', () => {
    expect(idOf(command('rm -rf build', { span: { start: 9, end: 30 } }), home, "cd . && \\rm   '-rf' build")).toBe(idOf());
  });
  test('output that is thrown away', () => {
    expect(idOf(command('rm -rf build', { writes: ['/dev/null'] }))).toBe(idOf());
  });
  test('variables that change nothing', () => {
    expect(
      idOf(
        command('rm -rf build', {
          env: [
            { name: 'CI', value: '1' },
            { name: 'LC_ALL', value: 'C' },
          ],
        }),
      ),
    ).toBe(idOf());
  });
});

describe('another subject', () => {
  test.each([
    ['another word', command('rm -rf build2')],
    ['a word more', command('rm -rf build src')],
    ['words cut elsewhere', command('rm -rfbuild')],
    [
      'one word with a blank',
      {
        ...base,
        argv: [
          { text: 'rm', literal: true },
          { text: '-rf build', literal: true },
        ],
      },
    ],
    ['another directory', command('rm -rf build', { cwd: '/home/dev' })],
    ['a variable', command('rm -rf build', { env: [{ name: 'LD_PRELOAD', value: './x.so' }] })],
    ['a redirection', command('rm -rf build', { writes: ['/home/dev/.bashrc'] })],
    ['through sudo', command('rm -rf build', { via: ['sudo'] })],
  ])('%s', (_name, other) => {
    expect(idOf(other)).not.toBe(idOf());
  });
  test('another value of a variable', () => {
    const withValue = (value: string) => command('rm -rf build', { env: [{ name: 'PATH', value }] });
    expect(idOf(withValue('/bin'))).not.toBe(idOf(withValue('/tmp')));
  });
  test.each([{ backend: 'ssh' }, { sandbox: 'other' }, { machine: 'server' }, { user: 'root' }])('another place: %o', (change) => {
    expect(idOf(base, { ...home, ...change })).not.toBe(idOf());
  });
  test('another reason to ask', () => {
    expect(idOf(base, home, '', { rule: 'exec.pipe-to-shell' })).not.toBe(idOf());
  });
  test('another script', () => {
    const script = command('sh deploy.sh', { durable: false });
    const withHash = (hash: string) => {
      const assessment = assess(judgement([script], [finding(script)]), new Map([[script, [hash]]]));
      const [unit] = assessment.units;
      return unit && memorable(unit, assessment, home, 'sh deploy.sh')?.subject;
    };
    expect(withHash('aa')?.scripts).toEqual(['aa']);
    expect(withHash('aa')).not.toEqual(withHash('bb'));
  });
  test('another host behind the same wrapper', () => {
    const through = (host: string) => {
      const inner = command('rm -rf build', { via: ['ssh'] });
      const outer = command(`ssh ${host} rm -rf build`, { wrapper: true });
      const assessment = assess(judgement([outer, inner], [finding(inner)]));
      const unit = assessment.units.find((one) => one.command === inner);
      const answer = unit && memorable(unit, assessment, home, 'same text');
      return answer === undefined ? undefined : subjectId(answer.subject);
    };
    expect(through('a')).toMatch(/^[0-9a-f]{64}$/);
    expect(through('a')).not.toBe(through('b'));
  });
  test('text around a command whose words do not say what runs', () => {
    const psql = command('psql', { durable: false });
    expect(idOf(psql, home, "psql <<< 'SELECT 1'")).not.toBe(idOf(psql, home, "psql <<< 'DROP TABLE a'"));
  });
});

describe('never remembered', () => {
  test.each([
    ['a dynamic part', command('rm -rf …')],
    ['an unknown directory', command('rm -rf build', { cwd: undefined })],
    ['an unknown value', command('rm -rf build', { env: [{ name: 'PATH', value: undefined }] })],
    ['an unknown file', command('rm -rf build', { writes: ['/tmp/…'] })],
  ])('%s', (_name, of) => {
    const { unit, assessment } = oneUnit(of);
    expect(memorable(unit, assessment, home, '')).toBeUndefined();
  });
});

describe('not beyond the session', () => {
  test.each([
    'bash -c ls',
    '/bin/bash x.sh',
    'python3.11 x.py',
    'node -e 1',
    'sudo ls',
    'env ls',
    'xargs rm',
    'ssh host ls',
    'npx cowsay',
    'git',
    'kubectl apply -f -',
    'cat /dev/stdin',
    'deploy --password hunter2secret',
  ])('%s', (words) => {
    const { unit, assessment } = oneUnit(command(words));
    expect(memorable(unit, assessment, home, words)?.durable).toBe(false);
  });
  test.each([
    ['the judge says so of the command', command('rm -rf build', { durable: false }), {}],
    ['the judge says so of a finding', base, { durable: false }],
    ['it is reached through a wrapper', command('rm -rf build', { via: ['sudo'] }), {}],
    ['a variable changes it', command('rm -rf build', { env: [{ name: 'PATH', value: '/x' }] }), {}],
  ])('%s', (_name, of, overrides) => {
    const { unit, assessment } = oneUnit(of, overrides);
    expect(memorable(unit, assessment, home, '')?.durable).toBe(false);
  });
  test.each(['rm -rf build', 'git push --force', 'npm publish', 'docker volume rm data'])('but beyond it: %s', (words) => {
    const { unit, assessment } = oneUnit(command(words));
    expect(memorable(unit, assessment, home, words)?.durable).toBe(true);
  });
});

test('a container is known by its image, a machine by its name', () => {
  const placement: Placement = {
    backend: 'docker',
    sandbox: 'id',
    machine: { name: 'f00d', os: 'linux', image: 'node:22' },
    user: { name: 'root', uid: 0 },
    shell: { path: '/bin/sh', kind: 'sh' },
    workdir: '/w',
    home: '/root',
    mounts: [],
    forwarded: [],
    network: { mode: 'open' },
    limits: {},
    isolation: 'container',
    storage: 'ephemeral',
    lifetimeLeftMs: null,
    cost: { class: 'free' },
    agent: { machine: 'laptop', kind: 'host' },
    warnings: [],
  };
  const sandbox = { backend: 'docker', id: 'id', name: 'dev' };
  expect(placeIdentity(placement, sandbox)).toEqual({ backend: 'docker', sandbox: 'dev', machine: 'node:22', user: 'root' });
  expect(placeIdentity({ ...placement, isolation: 'remote-host' }, sandbox).machine).toBe('f00d');
});
