import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import daytona, { type DaytonaOptions } from '@petasos/backend-daytona';
import { open } from '@petasos/core';
import { afterEach, beforeEach, expect, it } from 'vitest';

const profile = {
  activeProfile: 'p1',
  profiles: [{ id: 'p1', name: 'work', api: { url: 'https://daytona.example/api', key: 'key-of-file' } }],
};
const options = (given: Partial<DaytonaOptions> = {}): DaytonaOptions => ({ persistent: true, volumes: [], network: 'open', ...given });

let home: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'daytona-home-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

async function findings(given: Partial<DaytonaOptions>, env: Record<string, string> = {}): Promise<string> {
  const found = await daytona.check(options(given), { env: { HOME: home, ...env }, platform: 'linux' });
  return found.map(({ id, status, message }) => `${id} ${status}: ${message}`).join('\n');
}

async function writeProfile(content: unknown = profile): Promise<void> {
  await mkdir(path.join(home, '.config', 'daytona'), { recursive: true });
  await writeFile(path.join(home, '.config', 'daytona', 'config.json'), JSON.stringify(content));
}

it('options win over the environment, the environment over the file, and check says which', async () => {
  await writeProfile();
  const env = { DAYTONA_API_KEY: 'key-of-environment' };
  const all = await findings({ apiKey: 'key-of-options' }, env);
  expect(all).toContain('daytona.credentials ok: daytona uses the credentials from the options (apiKey); it passes over the environment');
  expect(await findings({}, env)).toContain('from the environment (DAYTONA_API_KEY)');
  const fromFile = await findings({});
  expect(fromFile).toContain(`from ${home}/.config/daytona/config.json (profile work)`);
  expect(fromFile).toContain('daytona talks to https://daytona.example/api');
  expect(all + fromFile).not.toContain('key-of');
});

it('a key from elsewhere is not sent to the address of the file', async () => {
  await writeProfile();
  expect(await findings({}, { DAYTONA_API_KEY: 'key-of-environment' })).toContain(
    'daytona talks to https://app.daytona.io/api (from the default)',
  );
});

it('without a key, check and open name the remedy and nothing is contacted', async () => {
  expect(await findings({})).toContain('daytona.credentials failed: daytona has no credentials');
  await expect(open(daytona, { hostEnv: { HOME: home } })).rejects.toMatchObject({
    code: 'credentials',
    remedy: expect.stringContaining('DAYTONA_API_KEY'),
  });
});

it('a damaged file counts as none', async () => {
  await writeProfile('nonsense');
  expect(await findings({})).toContain('failed');
});

it('a key that Daytona refuses is told as credentials', async () => {
  const { startEmulator, openSandbox } = await import('./place.js');
  const emulator = await startEmulator();
  try {
    await expect(openSandbox(emulator, { apiKey: 'wrong' })).rejects.toMatchObject({ code: 'credentials', retryable: false });
  } finally {
    await emulator.close();
  }
});
