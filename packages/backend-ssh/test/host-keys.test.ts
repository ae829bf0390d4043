import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import ssh from '@petasos/backend-ssh';
import { admitAll, open } from '@petasos/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loginOptions, sshd } from './servers.js';

const run = promisify(execFile);
const server = sshd.servers.main;
const name = `[${server.host}]:${server.port}`;

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ssh-hosts-'));
  file = path.join(folder, 'sub', 'known_hosts');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const keyOf = (key: string) => readFile(`${key}.pub`, 'utf8').then((text) => text.split(' ').slice(0, 2).join(' '));
const fingerprintOf = async (key: string) => (await run('ssh-keygen', ['-lf', `${key}.pub`])).stdout.split(' ')[1] ?? '';

async function login(hostKeys: 'accept-new' | 'strict' | 'off', files: readonly string[] = [file], configFile: string | false = false) {
  const steps: string[] = [];
  const options = loginOptions(server, sshd.users.bash, { hostKeys, knownHosts: [...files], configFile });
  await using sandbox = await open(ssh, { options, gate: admitAll(), onProgress: ({ step, detail }) => steps.push(`${step}: ${detail}`) });
  expect((await sandbox.exec('echo in')).stdout).toBe('in\n');
  return steps;
}

describe('a host key', () => {
  it('that is new is remembered once, in a file of the user alone, and holds from then on', async () => {
    const steps = await login('accept-new');
    expect(steps).toEqual([expect.stringContaining(await fingerprintOf(server.hostKey))]);
    const written = await readFile(file, 'utf8');
    expect(written).toBe(`${name} ${await keyOf(server.hostKey)}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
    expect(await login('accept-new')).toEqual([]);
    await login('strict');
    expect(await readFile(file, 'utf8')).toBe(written);
  });

  it('is added behind what the file holds, whose mode stays as it is', async () => {
    const own = path.join(folder, 'own');
    await writeFile(own, 'other.example ssh-ed25519 AAAA');
    await chmod(own, 0o640);
    await login('accept-new', [own]);
    expect((await readFile(own, 'utf8')).split('\n')).toEqual([
      'other.example ssh-ed25519 AAAA',
      `${name} ${await keyOf(server.hostKey)}`,
      '',
    ]);
    expect((await stat(own)).mode & 0o777).toBe(0o640);
  });

  it('is found under a hashed name, and hashed when the configuration says so', async () => {
    const config = path.join(folder, 'config');
    await writeFile(config, 'HashKnownHosts yes\n');
    await login('accept-new', [file], config);
    const written = await readFile(file, 'utf8');
    expect(written).toMatch(/^\|1\|[^ ]+ ssh-ed25519 /);
    expect((await run('ssh-keygen', ['-F', name, '-f', file])).stdout).toContain('found: line 1');
    await login('strict');
    await writeFile(file, `${name} ${await keyOf(server.hostKey)}\n`);
    await run('ssh-keygen', ['-q', '-H', '-f', file]);
    await login('strict');
  });

  it('that is unknown is refused where only known ones are accepted, and nothing is written', async () => {
    const fingerprint = await fingerprintOf(server.hostKey);
    await expect(login('strict')).rejects.toMatchObject({
      code: 'host-key',
      message: expect.stringContaining(fingerprint),
      data: { reason: 'unknown', fingerprint },
    });
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each(['accept-new', 'strict', 'off'] as const)(
    'that has changed is refused under %s, with both fingerprints and the line',
    async (hostKeys) => {
      const changed = path.join(folder, 'changed');
      await writeFile(changed, `# a comment\nother ${await keyOf(server.hostKey)}\n${name} ${await keyOf(sshd.spareHostKey)}\n`);
      const [theirs, known] = [await fingerprintOf(server.hostKey), await fingerprintOf(sshd.spareHostKey)];
      const refused = login(hostKeys, [changed]);
      await expect(refused).rejects.toMatchObject({
        code: 'host-key',
        data: { reason: 'changed', fingerprint: theirs, knownFingerprint: known, file: changed, line: 3 },
      });
      const message = await refused.catch((error: Error) => error.message);
      for (const part of [theirs, known, `${changed}:3`]) expect(message).toContain(part);
    },
  );

  it('that is marked as revoked is refused', async () => {
    const revoked = path.join(folder, 'revoked');
    await writeFile(revoked, `${name} ${await keyOf(server.hostKey)}\n@revoked * ${await keyOf(server.hostKey)}\n`);
    await expect(login('accept-new', [revoked])).rejects.toMatchObject({ code: 'host-key', data: { reason: 'revoked', line: 2 } });
  });

  it('fits patterns, and not those that are negated', async () => {
    const patterns = path.join(folder, 'patterns');
    await writeFile(patterns, `[127.*]:*,!${name} ${await keyOf(server.hostKey)}\n`);
    await expect(login('strict', [patterns])).rejects.toMatchObject({ data: { reason: 'unknown' } });
    await writeFile(patterns, `[127.*.?]:* ${await keyOf(server.hostKey)}\n`);
    await login('strict', [patterns]);
  });
});
