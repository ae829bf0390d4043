import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBreaker } from '../../../src/approval/memory/breaker.js';
import { createLedger } from '../../../src/approval/memory/ledger.js';
import { createMemoryTally } from '../../../src/approval/memory/tally.js';
import { createAudit } from '../../../src/approval/record/audit.js';
import { type AuditItem, readAudit } from '../../../src/approval/record/audit-reader.js';
import { createRedactor } from '../../../src/approval/record/redact.js';
import { approver, gateOf, refusal, rule } from '../support/gates.js';
import { request, success, throwaway } from '../support/requests.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'petasos-gate-'));
});
afterEach(() => rm(directory, { recursive: true }));

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

  test('counts for each sandbox, or for all of a backend', async () => {
    const other = { sandbox: { backend: 'local', id: 'local-2', name: 'other' } };
    for (const [countedFor, by] of [
      ['sandbox', 'nobody'],
      ['backend', 'breaker'],
    ] as const) {
      const gate = gateOf({ countedFor });
      for (let count = 0; count < 3; count += 1) await refusal(gate, 'mkfs x');
      expect((await refusal(gate, 'rm x', other)).data).toMatchObject({ by });
    }
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
