import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Approver } from '../../../src/approval/gate/approver.js';
import { createGate, type GateOptions } from '../../../src/approval/gate/gate.js';
import { createBreaker } from '../../../src/approval/memory/breaker.js';
import { createLedger } from '../../../src/approval/memory/ledger.js';
import { createMemoryTally } from '../../../src/approval/memory/tally.js';
import { fakeJudge } from '../support/fake-judge.js';
import { approver, gateOf, refusal, rule } from '../support/gates.js';
import { request, throwaway } from '../support/requests.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'petasos-gate-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('without an approver', () => {
  test('what is harmless runs, what is dangerous is denied with what to do', async () => {
    const gate = gateOf();
    await expect(gate.admit(request('ls'))).resolves.toBeDefined();
    expect(await refusal(gate, 'rm x')).toMatchObject({
      code: 'not-approved',
      retryable: false,
      backend: 'local',
      operation: 'exec',
      message:
        'not approved in local/main: rm x: removes a directory with everything in it, and nobody is here to approve it. ' +
        'Do not try it in another form: tell the person what you wanted to do and why.',
      remedy: 'Run it where a terminal can ask, pass an approver, or add an allow rule; petasos check shows why it is asked.',
      data: { by: 'nobody', sandbox: 'main', rule: 'fs.delete-recursive' },
    });
  });

  test('every operation is judged', async () => {
    for (const operation of ['exec', 'spawn', 'shell', 'job', 'job-input', 'terminal', 'terminal-input', 'init'] as const) {
      expect((await refusal(gateOf(), 'rm x', { operation })).code).toBe('not-approved');
    }
  });

  test('the floor holds in every mode, and no answer or rule lifts it', async () => {
    const yes = approver('once', 'once', 'once');
    for (const mode of ['manual', 'strict', 'off'] as const) {
      const error = await refusal(gateOf({ mode, approver: yes, rules: [rule('allow', 'mkfs x')] }), 'mkfs x');
      expect(error.message).toContain('formats a filesystem, and that is refused in every mode');
    }
    expect(yes.asked).toEqual([]);
  });

  test('off asks nothing; strict refuses without asking', async () => {
    const yes = approver();
    await expect(gateOf({ mode: 'off', approver: yes }).admit(request('rm x'))).resolves.toBeDefined();
    expect((await refusal(gateOf({ mode: 'strict', approver: yes }), 'ls')).message).toContain('approvals are in mode strict');
    await expect(gateOf({ mode: 'strict', rules: [rule('allow', 'ls')] }).admit(request('ls'))).resolves.toBeDefined();
    expect(yes.asked).toEqual([]);
  });

  test('a deny rule names itself and where it is written', async () => {
    const error = await refusal(gateOf({ rules: [rule('deny', 'npm publish')] }), 'npm publish');
    expect(error.message).toContain('the deny rule npm publish (rules.yaml:2) names it');
    expect(error.remedy).toBe('Change the deny rule npm publish (rules.yaml:2) if it should run.');
  });

  test('settings cannot be changed after the gate is made', async () => {
    const rules = [rule('deny', 'npm publish')];
    const options = { judge: fakeJudge, rules, mode: 'manual' as GateOptions['mode'] };
    const gate = createGate(options);
    options.mode = 'off';
    rules.pop();
    expect((await refusal(gate, 'npm publish')).code).toBe('not-approved');
    expect((await refusal(gate, 'rm x')).code).toBe('not-approved');
  });
});

describe('the question', () => {
  test('shows the command unchanged, where, why, and what can be answered', async () => {
    const yes = approver('once');
    await gateOf({ approver: yes, timeoutMs: 5_000 }).admit(request('cd src;  rm   x', { cwd: undefined }));
    expect(yes.asked).toMatchObject([
      {
        command: 'cd src;  rm   x',
        cwd: '/home/dev/project',
        choices: ['once', 'session', 'always', 'deny'],
        timeoutMs: 5_000,
        place: { machine: { name: 'laptop' } },
      },
    ]);
  });

  test.each([
    ['rm x', ['once', 'session', 'always', 'deny']],
    ['sh clean.sh', ['once', 'session', 'deny']],
    ['sudo rm x', ['once', 'session', 'deny']],
    ['rm $X', ['once', 'deny']],
    ['rm "x', ['once', 'deny']],
  ])('%s can be answered with %j', async (command, choices) => {
    const yes = approver('once');
    await gateOf({ approver: yes }).admit(request(command, { files: new Map([['/home/dev/project/clean.sh', 'rm y']]) }));
    expect(yes.asked[0]?.choices).toEqual(choices);
  });

  test('once holds once, session longer, always in the next session too; nothing more than was asked', async () => {
    const ledger = () => createLedger({ directory });
    const once = approver('once', 'once');
    const first = gateOf({ approver: once });
    await first.admit(request('rm x'));
    await first.admit(request('rm x'));
    expect(once.asked).toHaveLength(2);

    const session = approver('session', 'once');
    const second = gateOf({ approver: session, ledger: ledger() });
    await second.admit(request('rm x'));
    await second.admit(request('  rm \t  x;'));
    expect(session.asked).toHaveLength(1);
    await gateOf({ approver: session, ledger: ledger() }).admit(request('rm x'));
    expect(session.asked).toHaveLength(2);

    const always = approver('always');
    await gateOf({ approver: always, ledger: ledger() }).admit(request('rm x'));
    await gateOf({ ledger: ledger() }).admit(request('rm x'));
    await gateOf({ ledger: ledger() }).admit(request('ls; rm x; pwd'));
    for (const [command, options] of [
      ['rm x y', {}],
      ['rm x; rm y', {}],
      ['rm x', { cwd: '/home/dev' }],
      ['rm x', { env: { PATH: '/tmp' } }],
      ['rm x', { sandbox: { backend: 'local', id: 'local-1', name: 'other' } }],
      ['rm x', { place: { ...throwaway, storage: 'persistent' } }],
      ['sudo rm x', {}],
    ] as const) {
      expect((await refusal(gateOf({ ledger: ledger() }), command, options)).data).toMatchObject({ by: 'nobody' });
    }
  });

  test('an answer covers each command that needs one', async () => {
    const yes = approver('always', 'always');
    const gate = gateOf({ approver: yes });
    await gate.admit(request('rm x; rm y'));
    await gate.admit(request('rm y'));
    await gate.admit(request('rm y && rm x'));
    expect(yes.asked).toHaveLength(1);
    await gate.admit(request('rm y; rm z'));
    expect(yes.asked).toHaveLength(2);
  });

  test('a denial brings its reason to the agent', async () => {
    const error = await refusal(gateOf({ approver: approver({ choice: 'deny', reason: 'use git clean', by: 'ann' }) }), 'rm x');
    expect(error.message).toContain('a person denied it: use git clean. Do not try it in another form');
  });

  test('no answer in time is a denial, and the approver hears that it is too late', async () => {
    let late = false;
    const error = await refusal(
      gateOf({
        timeoutMs: 20,
        approver: ({ signal }) =>
          new Promise(() => {
            signal.addEventListener('abort', () => (late = true));
          }),
      }),
      'rm x',
    );
    expect(error).toMatchObject({
      code: 'not-approved',
      data: { by: 'timeout' },
      message: expect.stringContaining('nobody answered within 1 s'),
    });
    expect(late).toBe(true);
  });

  test('the default time is 300 s', async () => {
    vi.useFakeTimers();
    try {
      const denied = refusal(gateOf({ approver: () => new Promise(() => {}) }), 'rm x');
      let settled = false;
      void denied.then(() => (settled = true));
      await vi.advanceTimersByTimeAsync(299_999);
      expect(settled).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect((await denied).message).toContain('nobody answered within 300 s');
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    ['throws', async () => Promise.reject(new Error('no terminal')), 'failed (no terminal)'],
    [
      'throws at once',
      () => {
        throw new Error('no terminal');
      },
      'failed (no terminal)',
    ],
    ['says nothing', async () => undefined, 'gave no answer that was offered'],
    ['says true', async () => true, 'gave no answer that was offered'],
    ['says something else', async () => ({ choice: 'yes' }), 'gave no answer that was offered'],
    ['says always where it was not offered', async () => ({ choice: 'always' }), 'gave no answer that was offered'],
  ])('an approver that %s denies', async (_name, broken, mistake) => {
    const error = await refusal(gateOf({ approver: broken as Approver }), 'sudo rm x');
    expect(error).toMatchObject({ code: 'not-approved', data: { by: 'approver' } });
    expect(error.message).toContain(`the approver ${mistake}`);
  });

  test('aborting while somebody is asked is no denial', async () => {
    const controller = new AbortController();
    const breaker = createBreaker(createMemoryTally());
    const gate = gateOf({ breaker, approver: () => new Promise(() => controller.abort()) });
    await expect(gate.admit(request('rm x', { signal: controller.signal }))).rejects.toMatchObject({ code: 'aborted' });
    await expect(gate.admit(request('ls', { signal: controller.signal }))).rejects.toMatchObject({ code: 'aborted' });
    expect((await breaker.state('local/main')).denials).toEqual([]);
  });

  test('questions come one after the other, and one answer for the session settles its copies', async () => {
    let open = 0;
    let most = 0;
    let asked = 0;
    const gate = gateOf({
      approver: async () => {
        asked += 1;
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        return { choice: 'session' };
      },
    });
    await Promise.all([...Array.from({ length: 20 }, () => 'rm x'), 'rm y', 'rm z'].map((command) => gate.admit(request(command))));
    expect([most, asked]).toEqual([1, 3]);
  });
});
