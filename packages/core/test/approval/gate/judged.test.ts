import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PetasosError } from '../../../src/contract/errors.js';
import { approver, gateOf, observed, refusal } from '../support/gates.js';
import { request, throwaway } from '../support/requests.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'petasos-gate-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('what is judged', () => {
  test('variables of the request', async () => {
    expect((await refusal(gateOf(), 'ls', { env: { LD_PRELOAD: './x.so' } })).data).toMatchObject({ rule: 'env.loader' });
    await expect(gateOf().admit(request('ls', { env: { CI: '1' } }))).resolves.toBeDefined();
  });

  test('a value with quotes and newlines is a value', async () => {
    const { judge, seen } = observed();
    const gate = gateOf({ judge });
    await gate.admit(request('ls', { env: { A: "it's\nls" } }));
    expect(seen).toEqual(["export A='it'\\''s\nls'\nls"]);
  });

  test('spans are those of the command, whatever stands around it', async () => {
    const yes = approver('once', 'once');
    const gate = gateOf({ approver: yes });
    await gate.admit(request('ls; rm x', { env: { A: '1', B: '2' } }));
    await gate.admit(request('ls; rm x'));
    for (const question of yes.asked) {
      expect(question.findings.map((one) => one.span)).toEqual([{ start: 4, end: 8 }]);
      expect(question.judgement.commands.map((one) => one.argv[0]?.text)).toEqual(['ls', 'rm']);
    }
  });

  test.each([
    ['known input', { text: 'rm -rf /\n' }, "printf %s 'rm -rf /\n' | {\nbash\n}"],
    ['a stream', { text: undefined }, 'printf %s "$__petasos_unknown" | {\nbash\n}'],
  ])('what the command reads: %s', async (_name, stdin, text) => {
    const { judge, seen } = observed();
    const gate = gateOf({ judge });
    await gate.admit(request('bash', { stdin })).catch(() => {});
    expect(seen).toEqual([text]);
  });

  test('an answer is about the input too, where the words do not say what runs', async () => {
    const yes = approver('session', 'session', 'once', 'session');
    const gate = gateOf({ approver: yes });
    await gate.admit(request('sudo rm x', { stdin: { text: 'a' } }));
    await gate.admit(request('sudo rm x', { stdin: { text: 'a' } }));
    await gate.admit(request('sudo rm x', { stdin: { text: 'b' } }));
    await gate.admit(request('sudo rm x', { stdin: { text: undefined } }));
    await gate.admit(request('rm x', { stdin: { text: undefined } }));
    await gate.admit(request('rm x', { stdin: { text: 'a' } }));
    expect(yes.asked.map((question) => question.choices)).toEqual([
      ['once', 'session', 'deny'],
      ['once', 'session', 'deny'],
      ['once', 'deny'],
      ['once', 'session', 'always', 'deny'],
    ]);
  });

  test('what is typed into a shell is judged after what was typed before', async () => {
    const { judge, seen } = observed();
    const gate = gateOf({ judge });
    const reader = { command: 'bash -i', earlier: 'cd /srv\nrm old\n' };
    await gate.admit(request('ls', { operation: 'job-input', reader }));
    expect(seen.at(-1)).toBe('cd /srv\nrm old\nls');
    const error = await refusal(gate, 'rm x', { operation: 'job-input', reader });
    expect(error.data).toMatchObject({ rule: 'fs.delete-recursive' });
  });

  test('what is typed into another program is judged as its input', async () => {
    const { judge, seen } = observed();
    const gate = gateOf({ judge });
    await gate.admit(request("print('a')", { operation: 'terminal-input', reader: { command: 'python3', earlier: '' } }));
    expect(seen.at(-1)).toBe("printf %s 'print('\\''a'\\'')' | {\npython3\n}");
  });

  test('the place: a throwaway container has nothing to lose', async () => {
    await expect(gateOf().admit(request('rm x', { place: throwaway }))).resolves.toBeDefined();
    expect((await refusal(gateOf(), 'rm x', { place: { ...throwaway, storage: 'persistent' } })).code).toBe('not-approved');
    expect((await refusal(gateOf(), 'git push --force', { place: throwaway })).code).toBe('not-approved');
  });

  test('what the judge is told of the place', async () => {
    const { judge, contexts } = observed();
    const gate = gateOf({ protectedPaths: ['/state'], judge });
    const place = {
      ...throwaway,
      mounts: [{ source: '/src', target: '/w', access: 'read-write' as const }],
      forwarded: ['TOKEN'],
      network: { mode: 'none' as const },
    };
    await gate.admit(request('ls', { place, cwd: 'sub/../other', env: { EXTRA: 'x' } }));
    expect(contexts).toEqual([
      {
        place: 'docker',
        isolated: true,
        cwd: '/home/dev/project/other',
        home: '/home/dev',
        user: 'dev',
        storage: 'ephemeral',
        mounts: [{ target: '/w', access: 'read-write' }],
        forwarded: ['TOKEN', 'EXTRA'],
        network: 'none',
        protectedPaths: ['/state'],
        shell: 'bash',
        platform: 'linux',
        project: '/home/dev/project',
      },
    ]);
  });

  test.each([
    ['~', '/home/dev'],
    ['~/a b', '/home/dev/a b'],
    [undefined, '/home/dev/project'],
    ['/srv', '/srv'],
    ['..', '/home/dev'],
  ])('the directory %s is %s', async (cwd, absolute) => {
    const yes = approver('once');
    await gateOf({ approver: yes }).admit(request('rm x', { cwd }));
    expect(yes.asked[0]?.cwd).toBe(absolute);
  });

  test('a placement is asked for once in a while, and again after a failure', async () => {
    let asked = 0;
    let now = 0;
    const gate = gateOf({ clock: () => now });
    const one = {
      ...request('ls'),
      placement: async () => {
        asked += 1;
        if (asked === 1) throw new PetasosError('disconnected', 'gone');
        return throwaway;
      },
    };
    await expect(gate.admit(one)).rejects.toMatchObject({ code: 'disconnected' });
    for (let count = 0; count < 5; count += 1) await gate.admit(one);
    expect(asked).toBe(2);
    now += 30_000;
    await gate.admit(one);
    expect(asked).toBe(3);
  });
});
