import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import modal from '@petasos/backend-modal';
import type { CheckFinding } from '@petasos/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emulated } from './emulated.js';

const service = emulated();
let home: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'modal-home-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

const good = { id: 'ak-emulated', secret: 'as-emulated' };

async function check(env: Record<string, string | undefined>, options = {}): Promise<Record<string, CheckFinding>> {
  const { MODAL_SERVER_URL } = service.hostEnv;
  const findings = await modal.check({ serverUrl: MODAL_SERVER_URL, ...options }, { env: { HOME: home, ...env }, platform: 'linux' });
  expect(JSON.stringify(findings)).not.toMatch(/a[ks]-/);
  return Object.fromEntries(findings.map((finding) => [finding.id, finding]));
}

const file = (text: string) => writeFile(path.join(home, '.modal.toml'), text);
const section = (name: string, { id, secret }: typeof good, more = '') =>
  `[${name}]\ntoken_id = "${id}"\ntoken_secret = "${secret}"\n${more}`;

it('check says that nothing is there, and how to get it', async () => {
  const { 'modal.credentials': found, 'modal.sdk': sdk } = await check({});
  expect(sdk).toMatchObject({ status: 'ok' });
  expect(found).toMatchObject({ status: 'failed', remedy: expect.stringContaining('modal token set') });
});

it('check says that the options win over the environment, and that over the file', async () => {
  await file(section('work', good, 'active = true\n'));
  const env = { MODAL_TOKEN_ID: good.id, MODAL_TOKEN_SECRET: good.secret };
  const fromFile = await check({});
  expect(fromFile['modal.credentials']?.message).toBe(`modal uses the credentials from ${home}/.modal.toml (profile work)`);
  expect(fromFile['modal.connection']).toMatchObject({ status: 'ok' });
  const fromEnv = await check(env);
  expect(fromEnv['modal.credentials']?.message).toMatch(/from the environment \(MODAL_TOKEN_ID.*passes over .*\.modal\.toml/);
  const fromOptions = await check(env, { tokenId: good.id, tokenSecret: good.secret });
  expect(fromOptions['modal.credentials']?.message).toMatch(/from the options; it passes over the environment/);
});

it('check tells a stale token of the environment that hides a good one in the file', async () => {
  await file(section('work', good, 'active = true\n'));
  const findings = await check({ MODAL_TOKEN_ID: 'ak-stale', MODAL_TOKEN_SECRET: 'as-stale' });
  expect(findings['modal.credentials']?.message).toContain('passes over');
  expect(findings['modal.connection']).toMatchObject({ status: 'failed' });
});

it('half a pair is said, and never completed from another source', async () => {
  await file(section('work', good, 'active = true\n'));
  const { 'modal.credentials': found } = await check({ MODAL_TOKEN_ID: 'ak-other' });
  expect(found).toMatchObject({ status: 'warning', message: expect.stringMatching(/profile work.*environment.*lacks token secret/) });
});

it('a profile is chosen by option, by variable, or is the active one', async () => {
  await file(`${section('one', good)}\n${section('two', { id: 'ak-two', secret: 'as-two' }, 'active = true\n')}`);
  expect((await check({}))['modal.credentials']?.message).toContain('(profile two)');
  expect((await check({ MODAL_PROFILE: 'one' }))['modal.credentials']?.message).toContain('(profile one)');
  expect((await check({ MODAL_PROFILE: 'two' }, { profile: 'one' }))['modal.connection']).toMatchObject({ status: 'ok' });
  expect((await check({}, { profile: 'three' }))['modal.credentials']).toMatchObject({ status: 'failed' });
});

it('a damaged file is said without a word of its content', async () => {
  await file(`[work]\ntoken_secret = "as-secret\nactive`);
  expect((await check({}))['modal.credentials']).toMatchObject({ status: 'failed', message: expect.stringContaining('not valid TOML') });
});

it('the file of MODAL_CONFIG_PATH is read instead', async () => {
  const other = path.join(home, 'other.toml');
  await writeFile(other, section('elsewhere', good, 'active = true\n'));
  expect((await check({ MODAL_CONFIG_PATH: other }))['modal.credentials']?.message).toContain(`${other} (profile elsewhere)`);
});

it('a wrong token is told as credentials, by the operation that needed it', async () => {
  const hostEnv = { ...service.hostEnv, MODAL_TOKEN_SECRET: 'as-wrong' };
  await expect(service.open({ hostEnv })).rejects.toMatchObject({ code: 'credentials', retryable: false });
});

it('a service that cannot be reached is told as unavailable', async () => {
  const hostEnv = { ...service.hostEnv, MODAL_SERVER_URL: 'http://127.0.0.1:9' };
  await expect(service.open({ hostEnv })).rejects.toMatchObject({ code: 'unavailable', retryable: true });
}, 120_000);

it('the process’s environment is as it was, and its variables decide nothing', async () => {
  const before = { ...process.env };
  process.env.MODAL_TOKEN_ID = 'ak-of-somebody-else';
  process.env.MODAL_ENVIRONMENT = 'of-somebody-else';
  try {
    const changed = { ...process.env };
    expect((await (await service.open({ options: { environment: 'mine' } })).exec('echo alive')).stdout).toBe('alive\n');
    expect({ ...process.env }).toEqual(changed);
    const [app] = await service.emulator.requests('^AppGetOrCreate$');
    expect(app?.body).toMatchObject({ environmentName: 'mine' });
  } finally {
    delete process.env.MODAL_TOKEN_ID;
    delete process.env.MODAL_ENVIRONMENT;
  }
  expect({ ...process.env }).toEqual(before);
});

it('no credential is in an argument, a variable, a tag or the text of a request', async () => {
  const sandbox = await service.open({ name: 'secrets', env: { MINE: 'value' } });
  expect((await sandbox.exec('env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"')).stdout).not.toMatch(
    /as-emulated|ak-emulated/,
  );
  expect(JSON.stringify([sandbox.ref, await sandbox.placement()])).not.toMatch(/as-emulated|ak-emulated/);
  expect(JSON.stringify(await service.emulator.requests())).not.toMatch(/as-emulated|ak-emulated/);
});
