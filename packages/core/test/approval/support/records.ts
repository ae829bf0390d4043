import type { DecisionRecord, EndRecord } from '../../../src/approval/record/audit-record.js';

export function decision(overrides: Partial<DecisionRecord> = {}): DecisionRecord {
  return {
    kind: 'decision',
    id: '1',
    time: '2026-03-01T10:00:00.000Z',
    operation: 'exec',
    place: { backend: 'local', sandbox: 'id', name: 'main', machine: 'laptop', user: 'dev' },
    cwd: '/home/dev',
    command: 'ls',
    commandLength: 2,
    env: [],
    verdict: 'allow',
    findings: [],
    outcome: 'allowed',
    by: 'judge',
    ...overrides,
  };
}

export function end(overrides: Partial<EndRecord> = {}): EndRecord {
  return {
    kind: 'end',
    id: '1',
    time: '2026-03-01T10:00:01.000Z',
    ended: 'exited',
    exitCode: 0,
    durationMs: 1000,
    stdoutBytes: 3,
    stderrBytes: 0,
    ...overrides,
  };
}
