import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../../src/approval/gate/approver.js';
import { createGate, type GateOptions } from '../../../src/approval/gate/gate.js';
import { createBreaker } from '../../../src/approval/memory/breaker.js';
import { createLedger } from '../../../src/approval/memory/ledger.js';
import { createMemoryTally } from '../../../src/approval/memory/tally.js';
import { createAudit } from '../../../src/approval/record/audit.js';
import { type AuditItem, readAudit } from '../../../src/approval/record/audit-reader.js';
import { createRedactor } from '../../../src/approval/record/redact.js';
import type { Judge } from '../../../src/approval/rules/examples.js';
import type { Rule } from '../../../src/approval/rules/rule.js';
import { PetasosError } from '../../../src/contract/errors.js';
import { fakeJudge } from '../support/fake-judge.js';
import { type RequestOptions, request, success, throwaway } from '../support/requests.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'petasos-gate-'));
});
afterEach(() => rm(directory, { recursive: true }));

const gateOf = (options: Partial<GateOptions> = {}) => createGate({ judge: fakeJudge, ...options });

/** An approver that gives these answers in turn and keeps what it was asked. */
function approver(...answers: (ApprovalAnswer | ApprovalAnswer['choice'])[]): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  return Object.assign(
    async (question: ApprovalRequest): Promise<ApprovalAnswer> => {
      asked.push(question);
      const answer = answers[asked.length - 1];
      if (answer === undefined) throw new Error('asked too often');
      return typeof answer === 'string' ? { choice: answer } : answer;
    },
    { asked },
  );
}

/** The judge, and what it was given. */
function observed(): { readonly judge: Judge; readonly seen: string[]; readonly contexts: unknown[] } {
  const seen: string[] = [];
  const contexts: unknown[] = [];
  const judge: Judge = (text, context) => {
    seen.push(text);
    contexts.push(context);
    return fakeJudge(text, context);
  };
  return { judge, seen, contexts };
}

async function refusal(gate: ReturnType<typeof gateOf>, command: string, options: RequestOptions = {}): Promise<PetasosError> {
  const error: unknown = await gate.admit(request(command, options)).then(
    () => new Error(`${command} was admitted`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof PetasosError)) throw error;
  return error;
}

const rule = (decision: Rule['decision'], argv: string): Rule => ({
  decision,
  argv: argv.split(' '),
  match: [],
  notMatch: [],
  tier: 'user',
  origin: 'rules.yaml:2',
});

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

describe('what goes wrong is no consent', () => {
  test('a judge that fails asks', async () => {
    const error = await refusal(gateOf(), 'explode');
    expect(error).toMatchObject({ code: 'not-approved', data: { by: 'nobody', rule: 'judge.failed' } });
    await expect(gateOf({ approver: approver('once') }).admit(request('explode'))).resolves.toBeDefined();
  });

  test('a placement that fails unexpectedly', async () => {
    const broken = { ...request('ls'), placement: async () => Promise.reject(new TypeError('broken')) };
    await expect(gateOf().admit(broken)).rejects.toMatchObject({ code: 'not-approved', message: expect.stringContaining('broken') });
  });

  test('a damaged ledger denies what it might have allowed, and says which file', async () => {
    const gate = () => gateOf({ ledger: createLedger({ directory }), approver: approver('always') });
    await gate().admit(request('rm x'));
    const file = path.join(directory, (await readdir(directory))[0] ?? '');
    await writeFile(file, '{');
    const error = await refusal(gate(), 'rm x');
    expect(error).toMatchObject({
      code: 'not-approved',
      message: expect.stringContaining(`${file}:1: this remembered approval is not valid JSON`),
      data: { by: 'failure' },
    });
    expect(error.remedy).toContain(`rm '${file}'`);
    await gate().admit(request('ls'));
  });

  test('a record that cannot be written lets nothing run', async () => {
    const audit = createAudit({ directory: path.join(directory, 'file') });
    await writeFile(path.join(directory, 'file'), '');
    await expect(gateOf({ audit }).admit(request('ls'))).rejects.toMatchObject({
      code: 'not-approved',
      message: expect.stringContaining('cannot be written'),
    });
  });
});

describe('the breaker', () => {
  test('opens after three denials and stops the asking, until a person resets it', async () => {
    const breaker = createBreaker(createMemoryTally());
    const yes = approver('deny', 'deny', 'deny', 'once');
    const gate = gateOf({ breaker, approver: yes });
    for (const name of ['a', 'b', 'c']) await refusal(gate, `rm ${name}`);
    const error = await refusal(gate, 'rm d');
    expect(error).toMatchObject({ data: { by: 'breaker' } });
    expect(error.message).toContain('three commands in a row were denied here, so nothing that needs an approval runs');
    expect(error.message).toContain('Stop trying and report to the person');
    expect(error.remedy).toContain('petasos approvals reset');
    expect(yes.asked).toHaveLength(3);
    await gate.admit(request('ls'));
    await breaker.reset();
    await gate.admit(request('rm d'));
  });

  test('denials of every kind count, an approval between starts anew', async () => {
    const breaker = createBreaker(createMemoryTally());
    const gate = gateOf({ breaker, rules: [rule('deny', 'npm publish')], approver: approver('once', 'deny') });
    await refusal(gate, 'mkfs x');
    await refusal(gate, 'npm publish');
    await gate.admit(request('rm a'));
    expect((await breaker.state('local/main')).denials).toEqual([]);
    await refusal(gate, 'rm b');
    await refusal(gate, 'mkfs x');
    await refusal(gate, 'mkfs x');
    expect((await breaker.state('local/main')).open).toBe(true);
  });

  test('what a person has allowed for always still runs', async () => {
    const breaker = createBreaker(createMemoryTally());
    const gate = gateOf({ breaker, approver: approver('always') });
    await gate.admit(request('rm a'));
    for (let count = 0; count < 3; count += 1) await refusal(gate, 'mkfs x');
    await gate.admit(request('rm a'));
    expect((await refusal(gate, 'rm b')).data).toMatchObject({ by: 'breaker' });
  });
});

describe('sudo', () => {
  test('three failed authentications block it; the engine is told to watch', async () => {
    let now = 0;
    const gate = gateOf({ clock: () => now });
    expect((await gate.admit(request('ls'))).watchSudo).toBeUndefined();
    for (let count = 0; count < 3; count += 1) {
      const pass = await gate.admit(request('sudo ls'));
      expect(pass.watchSudo).toBe(true);
      pass.ended({ ...success, exitCode: 1, sudoFailures: 1 });
      pass.ended({ ...success, exitCode: 1, sudoFailures: 1 });
    }
    const error = await refusal(gate, 'sudo ls');
    expect(error).toMatchObject({
      data: { by: 'sudo-guard' },
      message: expect.stringContaining('sudo is refused for 15 more minutes. Do not guess passwords'),
    });
    await gate.admit(request('ls'));
    now += 15 * 60_000;
    await gate.admit(request('sudo ls'));
  });

  test('a block holds in mode off', async () => {
    const gate = gateOf({ mode: 'off' });
    (await gate.admit(request('sudo ls'))).ended({ ...success, exitCode: 1, sudoFailures: 3 });
    expect((await refusal(gate, 'sudo ls')).data).toMatchObject({ by: 'sudo-guard' });
  });
});

describe('the record', () => {
  async function items(): Promise<AuditItem[]> {
    const all: AuditItem[] = [];
    for await (const item of readAudit(directory)) all.push(item);
    return all;
  }

  test('tells what ran, who allowed it, how it ended and what it cost', async () => {
    const audit = createAudit({ directory });
    const gate = gateOf({
      audit,
      approver: approver({ choice: 'session', by: 'ann' }),
      redactor: createRedactor(['hunter2-value']),
      clock: () => 1_767_225_600_000,
    });
    const pass = await gate.admit(
      request('git push --force; echo hunter2-value --token abcdef123', { place: throwaway, env: { API_KEY: 'x' } }),
    );
    pass.ended({ ...success, durationMs: 3_600_000 });
    expect(await items()).toEqual([
      {
        kind: 'command',
        decision: {
          kind: 'decision',
          id: expect.any(String),
          time: '2026-01-01T00:00:00.000Z',
          operation: 'exec',
          place: { backend: 'docker', sandbox: 'docker-1', name: 'main', machine: 'f00d', user: 'dev' },
          cwd: '/home/dev/project',
          command: 'git push --force; echo [redacted] --token [redacted]',
          commandLength: 54,
          env: ['API_KEY'],
          verdict: 'ask',
          findings: [
            { rule: 'git.force-push', severity: 'ask', reach: 'remote-service', reason: 'removes a directory with everything in it' },
          ],
          outcome: 'allowed',
          by: 'approver',
          answer: { choice: 'session', by: 'ann', waitedMs: 0 },
        },
        end: {
          kind: 'end',
          id: expect.any(String),
          time: '2026-01-01T00:00:00.000Z',
          ended: 'exited',
          exitCode: 0,
          durationMs: 3_600_000,
          stdoutBytes: 3,
          stderrBytes: 0,
          costUsd: 3.6,
        },
      },
    ]);
  });

  test('tells what was refused and by what', async () => {
    const audit = createAudit({ directory });
    const controller = new AbortController();
    const gate = gateOf({ audit, approver: approver({ choice: 'deny', reason: 'no' }, 'always') });
    await gate.admit(request('ls'));
    await refusal(gate, 'mkfs x');
    await refusal(gate, 'rm x');
    await gate.admit(request('rm x'));
    await gate.admit(request('rm x'));
    await gateOf({ audit, approver: () => new Promise(() => controller.abort()) })
      .admit(request('rm x', { signal: controller.signal }))
      .catch(() => {});
    expect(
      (await items()).map((item) => item.kind === 'command' && [item.decision.outcome, item.decision.by, item.decision.answer?.choice]),
    ).toEqual([
      ['allowed', 'judge', undefined],
      ['denied', 'judge', undefined],
      ['denied', 'approver', 'deny'],
      ['allowed', 'approver', 'always'],
      ['allowed', 'ledger', undefined],
      ['aborted', 'approver', undefined],
    ]);
  });

  test('no secret is in an error', async () => {
    const error = await refusal(gateOf({ redactor: createRedactor(['hunter2-value']) }), 'rm hunter2-value --password geheim123');
    expect(JSON.stringify([error.message, error.remedy, error.data])).not.toMatch(/hunter2|geheim/);
  });

  test('an end that cannot be recorded is reported, not thrown', async () => {
    const errors: unknown[] = [];
    const audit = createAudit({ directory: path.join(directory, 'state') });
    const pass = await gateOf({ audit, onError: (error) => errors.push(error) }).admit(request('ls'));
    await rm(path.join(directory, 'state'), { recursive: true });
    await writeFile(path.join(directory, 'state'), '');
    pass.ended(success);
    expect(errors).toMatchObject([{ message: expect.stringContaining('cannot be written') }]);
  });
});
