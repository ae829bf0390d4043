import type { Sandbox } from '@petasos/core';
import { Sandbox as SdkSandbox } from '@vercel/sandbox';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { wholeLines } from '../src/lines.js';
import { commandRequest, emulatedAccount } from './emulated.js';

const account = emulatedAccount();
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await account().open();
  await sandbox.exec('true');
  await account().emulator.clearRequests();
});

afterEach(() => sandbox.destroy());

/** The SDK as it is, without the transport that keeps its failures away. */
async function bareSession(spoil: (body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array> = (body) => body) {
  const { url, env } = account().emulator;
  const access = { token: env.VERCEL_TOKEN ?? '', teamId: env.VERCEL_TEAM_ID ?? '', projectId: env.VERCEL_PROJECT_ID ?? '' };
  const name = `petasos-${sandbox.name}`;
  const direct: typeof fetch = async (input, init) => {
    const response = await fetch(String(input).replace('https://vercel.com/api', url), init);
    if (response.body === null || response.headers.get('content-type') !== 'application/x-ndjson') return response;
    return new Response(spoil(response.body), response);
  };
  return (await SdkSandbox.get({ name, ...access, fetch: direct })).currentSession();
}

async function runs(file: string): Promise<number> {
  return (await sandbox.files.readText(file)).split('\n').length - 1;
}

const lateFaults = [
  ['a 502', { kind: 'status', status: 502, when: 'after' }],
  ['a lost connection', { kind: 'reset', when: 'after' }],
] as const;

it.each(lateFaults)('a command is not run twice when %s follows it, as the SDK alone would', async (_, fault) => {
  const { emulator } = account();
  const bare = await bareSession();
  await emulator.fault({ on: commandRequest, fault });
  await bare.runCommand({ cmd: 'sh', args: ['-c', 'echo ran >>/tmp/bare'] });
  expect(await runs('/tmp/bare')).toBe(2);
  await emulator.fault({ on: commandRequest, fault });
  const result = await sandbox.exec('echo ran | tee -a /tmp/ours; exit 3');
  expect([result.stdout, result.exitCode]).toEqual(['ran\n', 3]);
  expect(await runs('/tmp/ours')).toBe(1);
});

it('a command runs once although every second request fails behind it', async () => {
  const { emulator } = account();
  for (let skip = 0; skip < 20; skip += 2) {
    const kind = skip % 4 === 0 ? ({ kind: 'status', status: 502, when: 'after' } as const) : ({ kind: 'reset', when: 'after' } as const);
    await emulator.fault({ on: commandRequest, fault: kind, skip });
  }
  const results = await Promise.all(Array.from({ length: 5 }, (_, at) => sandbox.exec(`echo ran >>/tmp/many; echo ${at}; exit ${at}`)));
  expect(results.map(({ stdout, exitCode }) => [stdout, exitCode])).toEqual([0, 1, 2, 3, 4].map((at) => [`${at}\n`, at]));
  await emulator.clearFaults();
  expect(await runs('/tmp/many')).toBe(5);
});

it.each(lateFaults)('a sandbox is not made twice when %s follows it', async (_, fault) => {
  const { emulator, open, sent } = account();
  await emulator.fault({ on: '^POST /v3/sandboxes$', fault });
  const made = await open({ name: `once-${fault.kind}` });
  expect(made.origin).toBe('created');
  expect(await sent('^POST /v3/sandboxes$')).toHaveLength(1);
  expect((await made.exec('echo alive')).stdout).toBe('alive\n');
  await made.destroy();
  expect((await emulator.state()).boxes).toHaveLength(1);
});

it.each(lateFaults)('a snapshot is not taken twice when %s follows it', async (_, fault) => {
  const { emulator, open, sent } = account();
  await sandbox.files.write('file', 'then');
  await emulator.fault({ on: '^POST .*/snapshot$', fault });
  const from = await sandbox.snapshot();
  expect(await sent('^POST .*/snapshot$')).toHaveLength(1);
  const restored = await open({ from });
  expect(await restored.files.readText('file')).toBe('then');
  await restored.destroy();
});

it('a character that is cut in two by the network is whole, which the SDK alone damages', async () => {
  const { emulator } = account();
  const said = async (session: Awaited<ReturnType<typeof bareSession>>) => (await session.runCommand('echo', ['grüße-日本語'])).stdout();
  expect(await said(await bareSession(byByte))).toContain('\ufffd');
  expect(await said(await bareSession((body) => wholeLines(byByte(body))))).toBe('grüße-日本語\n');
  await emulator.fault({ on: commandRequest, fault: { kind: 'split-stream', bytes: 1 }, times: 100 });
  const result = await sandbox.exec('echo grüße-日本語; printf "\\377"');
  expect(result.stdout).toBe('grüße-日本語\n\ufffd');
  expect([...result.output.stdout.bytes.slice(-1)]).toEqual([255]);
});

function byByte(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        for (let at = 0; at < chunk.length; at += 1) controller.enqueue(chunk.slice(at, at + 1));
      },
    }),
  );
}

it.each(['reset', 'end'] as const)('a stream that ends early (%s) loses no output and no status', async (how) => {
  const { emulator } = account();
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  for (const skip of [0, 2, 4]) await emulator.fault({ on: commandRequest, fault: { kind: 'cut-stream', afterBytes: 300, how }, skip });
  const result = await sandbox.exec('echo ran >>/tmp/early; seq 1 3000; sleep 1; echo error >&2; exit 9');
  await emulator.clearFaults();
  expect(result.exitCode).toBe(9);
  expect(result.stderr).toBe('error\n');
  expect(result.stdout.split('\n')).toHaveLength(3001);
  expect(await runs('/tmp/early')).toBe(1);
  expect(said).not.toHaveBeenCalled();
  said.mockRestore();
});

it.each(['malformed-line', 'error-line'])('a %s in a stream fails no command', async (name) => {
  const { emulator } = account();
  await emulator.fault({ on: commandRequest, fault: { kind: 'own', name } });
  const result = await sandbox.exec('echo ran | tee -a /tmp/line; exit 4');
  expect([result.stdout, result.exitCode, await runs('/tmp/line')]).toEqual(['ran\n', 4, 1]);
});

it.each([
  [410, 'sandbox_stopped'],
  [422, 'sandbox_stopping'],
  [422, 'sandbox_snapshotting'],
])('an answer of %i %s starts the session again and the command once', async (status, code) => {
  const { emulator, sent } = account();
  await emulator.fault({ on: commandRequest, fault: { kind: 'own', name: 'answer', data: { status, code } } });
  expect((await sandbox.exec('echo ran | tee -a /tmp/over')).stdout).toBe('ran\n');
  expect(await runs('/tmp/over')).toBe(1);
  expect(await sent('^POST /v3/sandboxes$')).toEqual([]);
});

it('a sandbox that Vercel has stopped goes on with its files, and an expired snapshot is told and not replaced', async () => {
  const { emulator, sent } = account();
  const box = `petasos-${sandbox.name}`;
  await sandbox.files.write('kept', 'kept');
  await emulator.act('expire', box);
  expect((await sandbox.exec('cat kept')).stdout).toBe('kept');
  await emulator.act('stop', box);
  await emulator.act('lose-snapshot', box);
  await expect(sandbox.exec('cat kept')).rejects.toMatchObject({ code: 'destroyed', data: { code: 'snapshot_not_found' } });
  expect(await sent('^(POST /v3/sandboxes|DELETE .*)$')).toEqual([]);
});

it('a session that ends in the middle of a command ends the command without a status', async () => {
  const { emulator } = account();
  const running = sandbox.exec('echo part; sleep 60', {
    onStdout: () => void emulator.act('expire', `petasos-${sandbox.name}`),
  });
  const result = await running;
  expect(['disconnected', 'destroyed']).toContain(result.ended);
  expect([result.exitCode, result.stdout]).toEqual([null, 'part\n']);
  expect((await sandbox.exec('echo again')).stdout).toBe('again\n');
});

it('a restore from a snapshot names no runtime, which Vercel would refuse', async () => {
  const { open } = account();
  await sandbox.files.write('file', 'here');
  const restored = await open({ from: await sandbox.snapshot(), options: { runtime: 'node24' } });
  expect(await restored.files.readText('file')).toBe('here');
  await restored.destroy();
});

it('listing and destroying start no stopped sandbox', async () => {
  const { emulator, hostEnv, sent } = account();
  const { default: vercel } = await import('@petasos/backend-vercel');
  // What the handle still tidies up behind its last command would be counted otherwise.
  await sandbox.close();
  await emulator.act('stop', `petasos-${sandbox.name}`);
  await emulator.clearRequests();
  const host = { env: hostEnv, platform: process.platform };
  const listed = await vercel.list({}, host);
  expect(listed.map(({ ref, state }) => [ref.name, state])).toEqual([[sandbox.name, 'stopped']]);
  for (const { ref } of listed) await vercel.destroy({}, ref, host);
  expect((await emulator.state()).boxes).toEqual([]);
  expect((await emulator.state()).snapshots).toEqual([]);
  expect(await sent('/sessions/')).toEqual([]);
});

it('no credential is in an address, an argument or a tag', async () => {
  const { emulator } = account();
  await sandbox.exec('true', { env: { SECRET_VALUE: 'do-not-tell' } });
  const seen = JSON.stringify(await emulator.requests());
  expect(seen).toContain('/cmd');
  expect(seen).not.toContain(emulator.env.VERCEL_TOKEN);
  const args = (await emulator.requests(commandRequest)).map(({ body }) => JSON.stringify((body as { args: string[] }).args));
  expect(args.join('\n')).not.toContain('do-not-tell');
});
