import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import vercel from '@petasos/backend-vercel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiUrlOf } from '../src/api.js';
import { findCredentials } from '../src/credentials.js';
import { readTags, tagsOf, vendorName } from '../src/labels.js';
import { optionsSchema, vcpusOf } from '../src/options.js';
import { emulatedAccount } from './emulated.js';

describe('credentials', () => {
  let home: string;
  const claims = Buffer.from(JSON.stringify({ owner_id: 'team_oidc', project_id: 'prj_oidc' })).toString('base64url');
  const variables = { VERCEL_TOKEN: 'token-env', VERCEL_TEAM_ID: 'team_env', VERCEL_PROJECT_ID: 'prj_env' };
  const oidc = { VERCEL_OIDC_TOKEN: `head.${claims}.signature` };

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'vercel-home-'));
    await mkdir(path.join(home, '.local', 'share', 'com.vercel.cli'), { recursive: true });
    await writeFile(path.join(home, '.local', 'share', 'com.vercel.cli', 'auth.json'), JSON.stringify({ token: 'token-cli' }));
    await mkdir(path.join(home, 'project', '.vercel'), { recursive: true });
    await writeFile(path.join(home, 'project', '.vercel', 'project.json'), JSON.stringify({ orgId: 'team_cli', projectId: 'prj_cli' }));
  });
  afterAll(() => rm(home, { recursive: true }));

  it.each([
    ['the options', { token: 'token-opt', teamId: 'team_opt', projectId: 'prj_opt' }, { ...variables, ...oidc }, 'team_opt'],
    ['VERCEL_TOKEN', {}, { ...variables, ...oidc }, 'team_env'],
    ['VERCEL_OIDC_TOKEN', {}, oidc, 'team_oidc'],
    ['project.json', {}, {}, 'team_cli'],
  ])('%s win over what comes later', async (where, options, env, teamId) => {
    const { chosen } = await findCredentials(options, { HOME: home, ...env }, path.join(home, 'project'));
    expect(chosen?.where).toContain(where);
    expect(chosen?.parts.teamId.reveal()).toBe(teamId);
  });

  it('doctor names the source and never the value', async () => {
    const findings = await vercel.check({}, { env: { HOME: home, ...variables }, platform: process.platform });
    expect(findings.map(({ id, status }) => [id, status])).toEqual([
      ['vercel.credentials', 'ok'],
      ['vercel.sdk', 'ok'],
    ]);
    expect(JSON.stringify(findings)).toContain('VERCEL_TOKEN');
    expect(JSON.stringify(findings)).not.toContain('token-env');
  });

  it('half a set is told and not completed from elsewhere, and nobody is asked to log in', async () => {
    const env = { HOME: '/nonexistent', VERCEL_TOKEN: 'token-env' };
    const host = { env, platform: process.platform } as const;
    const [finding] = await vercel.check({}, host);
    expect(finding).toMatchObject({ status: 'failed', message: expect.stringContaining('lacks teamId and projectId') });
    await expect(vercel.list({}, host)).rejects.toMatchObject({ code: 'credentials', backend: 'vercel' });
  });
});

it('a token goes to nobody over an open line', () => {
  expect(apiUrlOf({ apiUrl: 'http://127.0.0.1:1' }, {})).toBe('http://127.0.0.1:1');
  expect(apiUrlOf({}, {})).toBe('https://vercel.com/api');
  for (const apiUrl of ['http://example.org', 'ftp://127.0.0.1', 'http://127.0.0.1.example.org'])
    expect(() => apiUrlOf({}, { PETASOS_VERCEL_API_URL: apiUrl })).toThrow(/neither https nor on this machine/);
});

it('takes what a Hermes configuration says of every container', async () => {
  const checked = await optionsSchema['~standard'].validate({
    runtime: 'node24',
    cpus: 1,
    memoryMiB: 5120,
    diskMiB: 51_200,
    persistent: true,
  });
  expect(checked.issues).toBeUndefined();
  expect(vcpusOf({ cpus: 1, memoryMiB: 5120 })).toBe(3);
  expect(vcpusOf({ cpus: 0, memoryMiB: 0 })).toBeUndefined();
  for (const wrong of [{ diskMiB: 100 }, { cpus: 1.5 }, { runtime: 'node24', image: 'x' }, { ports: Array(16).fill(80) }, { unknown: 1 }])
    expect((await optionsSchema['~standard'].validate(wrong)).issues).toBeDefined();
});

it('labels of any number fit into five tags, and what does not fit is refused', () => {
  const labels = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`label-${at}`, `wert ${at} "ü"`]));
  const tags = tagsOf('id', labels);
  expect(Object.keys(tags).length).toBeLessThanOrEqual(5);
  expect(readTags(tags)).toEqual({ id: 'id', labels });
  expect(readTags({ other: 'sandbox' })).toBeUndefined();
  expect(() => tagsOf('id', { long: 'x'.repeat(600) })).toThrow(/room for/);
});

it('every name has one at Vercel of its own', async () => {
  const names = ['a', 'A', 'a.b', 'a_b', 'a-b', 'x'.repeat(62), 'x'.repeat(63)];
  const vendor = await Promise.all(names.map(vendorName));
  expect(new Set(vendor).size).toBe(names.length);
  for (const name of vendor) expect(name).toMatch(/^petasos-[a-z0-9-]{1,54}$/);
});

describe('on the emulator', () => {
  const account = emulatedAccount({ maxTimeoutMs: 45 * 60_000 });

  it('a session is extended while it is used, and a refusal is a warning of the placement', async () => {
    const { emulator, open, sent } = account();
    const sandbox = await open({ options: { sessionMinutes: 10, longestSessionMinutes: 60 } });
    expect((await sandbox.placement()).lifetimeLeftMs).toBeGreaterThan(9 * 60_000);
    await sandbox.extend(5 * 60_000);
    expect((await sandbox.placement()).lifetimeLeftMs).toBeGreaterThan(14 * 60_000);
    await expect(sandbox.extend(50 * 60_000)).rejects.toMatchObject({ code: 'place-failed', backend: 'vercel' });
    expect(await sent('extend-timeout')).toHaveLength(2);
    await sandbox.destroy();
    const short = await open({ options: { sessionMinutes: 40, longestSessionMinutes: 60 } });
    await emulator.skew(-25 * 60_000);
    await short.pause();
    await short.exec('true');
    await emulator.skew(0);
    await short.exec('true');
    await expect.poll(async () => (await short.placement()).warnings.map(({ id }) => id)).toContain('lifetime.not-extended');
    await short.destroy();
  });

  it('a sandbox that is not used is stopped after its idle limit, unless something runs in it', async () => {
    const { emulator, open } = account();
    const state = async () => (await emulator.state()).boxes[0]?.state;
    const sandbox = await open({ name: 'idle', idleLimitMs: 1500 });
    await sandbox.files.write('kept', 'kept');
    const job = await sandbox.jobs.start('sleep 5; echo done');
    await new Promise((resolve) => setTimeout(resolve, 3500));
    expect(await state()).toBe('running');
    await expect.poll(state, { timeout: 20_000, interval: 200 }).toBe('stopped');
    expect(await sandbox.files.readText('kept')).toBe('kept');
    expect((await sandbox.jobs.get(job.id)).exitCode).toBe(0);
    await sandbox.destroy();
  });

  it('a job whose client was killed is whole for the next client: output from byte 0, and status', async () => {
    const { open } = account();
    const { clientOf } = await import('@petasos/testbed');
    const { emulator, hostEnv } = account();
    process.env.PETASOS_VERCEL_TEST = JSON.stringify(hostEnv);
    const client = clientOf(new URL('./client-subject.ts', import.meta.url).href)({
      name: 'killed',
      steps: [{ do: 'job', command: 'for i in 1 2 3 4 5 6; do echo line $i; sleep 0.5; done; exit 7' }, { do: 'hold' }],
    });
    const id = await new Promise<string>((resolve) => {
      let text = '';
      client.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const found = /"event":"job","id":"([0-9a-f]+)"/.exec(text)?.[1];
        if (found) resolve(found);
      });
    });
    client.kill('SIGKILL');
    await new Promise((resolve) => client.once('close', resolve));
    const sandbox = await open({ name: 'killed' });
    expect(sandbox.origin).toBe('attached');
    const end = await sandbox.jobs.wait(id, { timeoutMs: 30_000 });
    expect([end.state, end.exitCode]).toEqual(['exited', 7]);
    const output = await sandbox.jobs.output(id, { from: 0 });
    expect(Buffer.from(output.bytes).toString()).toBe('line 1\nline 2\nline 3\nline 4\nline 5\nline 6\n');
    await sandbox.destroy();
    expect((await emulator.state()).boxes).toEqual([]);
  });

  it('a file of 20 MB goes up in parts and comes down as one stream', async () => {
    const { open, sent } = account();
    const sandbox = await open();
    const content = Buffer.alloc(20_000_000, 'petasos ');
    await sandbox.files.write('big', content);
    expect((await sent('/fs/write$')).length).toBeGreaterThanOrEqual(5);
    expect(Buffer.compare(await sandbox.files.read('big'), content)).toBe(0);
    expect(await sent('/fs/read$')).toHaveLength(1);
    await sandbox.destroy();
  });
});
