import { expect, it } from 'vitest';
import { emulated } from './emulated.js';

const unavailable = 14;
const service = emulated();

/** Processes that the service was asked to start, each once by its id. */
async function started(): Promise<string[]> {
  const requests = await service.emulator.requests('^TaskExecStart$');
  return [...new Set(requests.map(({ body }) => (body as { execId: string }).execId))];
}

it('a creation whose answer is lost makes one sandbox, and it is ours', async () => {
  // Each of the SDK's own attempts finds the name taken, by the first of them.
  await service.emulator.fault({ on: '^SandboxCreateV2$', fault: { kind: 'status', status: unavailable, when: 'after' }, times: 1 });
  const sandbox = await service.open({ name: 'lost-answer' });
  expect(sandbox.origin).toBe('created');
  expect((await service.emulator.requests('^SandboxCreateV2$')).map(({ status }) => status)).toEqual([unavailable, 6]);
  expect((await service.emulator.state()).boxes).toHaveLength(1);
  expect((await sandbox.exec('echo alive')).stdout).toBe('alive\n');
});

it('a creation whose connection breaks behind it makes one sandbox', async () => {
  await service.emulator.fault({ on: '^SandboxCreateV2$', fault: { kind: 'reset', when: 'after' } });
  const sandbox = await service.open();
  expect((await sandbox.exec('echo alive')).stdout).toBe('alive\n');
  expect((await service.emulator.state()).boxes).toHaveLength(1);
});

it('a name that somebody else took while the answer was lost is not ours', async () => {
  const theirs = await service.open({ name: 'taken' });
  await service.emulator.clearRequests();
  const again = await service.open({ name: 'taken' });
  expect([again.origin, again.id]).toEqual(['attached', theirs.id]);
  expect(await service.emulator.requests('^SandboxCreateV2$')).toEqual([]);
});

it('a start whose answer is lost starts one process', async () => {
  const sandbox = await service.open();
  await service.emulator.fault({ on: '^TaskExecStart$', fault: { kind: 'status', status: unavailable, when: 'after' }, times: 2 });
  expect((await sandbox.exec('echo x >>log; cat log')).stdout).toBe('x\n');
  const requests = await service.emulator.requests('^TaskExecStart$');
  expect(requests).toHaveLength(3);
  expect(await started()).toHaveLength(1);
  expect((await service.emulator.state()).boxes[0]?.processes).toBe(2);
});

it('input whose answer is lost arrives once, so that a command runs once', async () => {
  const sandbox = await service.open();
  await sandbox.exec(':');
  for (const kind of ['status', 'reset'] as const) {
    const fault = kind === 'status' ? ({ kind, status: unavailable, when: 'after' } as const) : ({ kind, when: 'after' } as const);
    await service.emulator.fault({ on: '^TaskExecStdinWrite$', fault, times: 3 });
    expect(await sandbox.exec(`echo ${kind} >>log; cat log`)).toMatchObject({ exitCode: 0 });
  }
  expect((await sandbox.exec('cat log')).stdout).toBe('status\nreset\n');
  const bytes = Buffer.alloc(2_000_000, 'abcdefg');
  await service.emulator.fault({ on: '^TaskExecStdinWrite$', fault: { kind: 'reset', when: 'after' }, times: 2, skip: 3 });
  const counted = await sandbox.exec('cksum; echo x >>log2; cat log2', { stdin: bytes });
  const { stdout } = await sandbox.exec('cksum; true', { stdin: bytes });
  expect(counted.stdout).toBe(`${stdout}x\n`);
});

it('an output stream that breaks goes on where it was', async () => {
  const sandbox = await service.open();
  await service.emulator.fault({ on: '^TaskExecStdioRead$', fault: { kind: 'cut-stream', afterBytes: 100_000, how: 'reset' }, times: 3 });
  const { stdout, ended } = await sandbox.exec('seq 100000');
  expect(ended).toBe('exited');
  expect(stdout).toBe(Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join(''));
  expect((await service.emulator.requests('^TaskExecStdioRead$')).length).toBeGreaterThan(2);
  expect(await started()).toHaveLength(1);
});

it('an output stream that ends early as if it were whole is a lost connection and no short output', async () => {
  const sandbox = await service.open();
  await sandbox.exec(':');
  await service.emulator.fault({ on: '^TaskExecStdioRead$', fault: { kind: 'cut-stream', afterBytes: 100_000, how: 'end' }, times: 1 });
  // A command that takes its lane over, so that the next one has a stream of its own.
  const results = await Promise.all([sandbox.exec('sleep 0.3; seq 100000'), sandbox.exec('sleep 0.3; seq 100000')]);
  const ends = results.map(({ ended, exitCode }) => [ended, exitCode]);
  expect(ends).toContainEqual(['disconnected', null]);
  expect(ends).toContainEqual(['exited', 0]);
});

it('an output stream that falls silent is ended by our own deadline', async () => {
  const sandbox = await service.open();
  await sandbox.exec(':');
  await service.emulator.fault({ on: '^TaskExecStdioRead$', fault: { kind: 'cut-stream', afterBytes: 50_000, how: 'stall' }, times: 1 });
  const quiet = { timeoutMs: 1500, graceMs: 300 };
  const startedAt = Date.now();
  const [one, other] = await Promise.all([sandbox.exec('sleep 0.3; seq 50000', quiet), sandbox.exec('sleep 0.3; seq 50000', quiet)]);
  expect(Date.now() - startedAt).toBeLessThan(6000);
  expect([one.ended, other.ended].sort()).toEqual(['exited', 'timed-out']);
});

it('an upload whose connection breaks goes on where it was', async () => {
  const sandbox = await service.open();
  const content = Buffer.alloc(9_000_000, 'petasos');
  await sandbox.files.write('first', 'warm');
  await service.emulator.fault({ on: '^TaskExecStdinWriteStream$', fault: { kind: 'reset', when: 'after' }, times: 1 });
  await sandbox.files.write('large', content);
  expect(Buffer.compare(await sandbox.files.read('large'), content)).toBe(0);
});

it('a token of the command router that is no longer valid is renewed', async () => {
  await service.emulator.setKnobs({ routerTokenSeconds: 20 });
  try {
    const sandbox = await service.open();
    await sandbox.exec(':');
    await service.emulator.act('revoke-router-tokens');
    const results = await Promise.all([sandbox.exec('echo one'), sandbox.exec('sleep 0.2; echo two')]);
    expect(results.map(({ stdout }) => stdout)).toEqual(['one\n', 'two\n']);
  } finally {
    await service.emulator.setKnobs({ routerTokenSeconds: 600 });
  }
});

it('a token that the service takes back early is renewed too, where the SDK believes in its date', async () => {
  const sandbox = await service.open();
  await sandbox.exec(':');
  await service.emulator.act('revoke-router-tokens');
  await service.emulator.act('cut');
  await expect.poll(async () => (await sandbox.exec('echo again')).stdout, { timeout: 10_000 }).toBe('again\n');
});
