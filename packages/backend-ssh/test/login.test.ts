import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ssh, { type SshOptions } from '@petasos/backend-ssh';
import { admitAll, type OpenOptions, open } from '@petasos/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loginOptions, sshd } from './servers.js';
import { loginTo } from './subject.js';

const { main, jump, noForwarding, oneSession } = sshd.servers;
const user = sshd.users.bash;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ssh-login-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function says(options: SshOptions, others: Partial<OpenOptions> = {}): Promise<string> {
  await using sandbox = await open(ssh, { options, gate: admitAll(), ...others });
  return (await sandbox.exec('printf %s "$SSH_CONNECTION"')).stdout;
}

/** A copy of its own: what has been unlocked once stays unlocked. */
async function encryptedKey(): Promise<string> {
  const key = path.join(folder, 'encrypted');
  await copyFile(sshd.keys.encrypted.path, key);
  return key;
}

describe('a login', () => {
  it.each(['plain', 'rsa'] as const)('works with the %s key', async (kind) => {
    expect(await says(loginOptions(main, user, { key: sshd.keys[kind] }))).toContain(`${main.port}`);
  });

  it('takes a key that only an agent holds', async () => {
    const { socket } = sshd.agent;
    expect(await says(loginOptions(main, user, { key: path.join(folder, 'none'), agent: socket }))).toContain(`${main.port}`);
  });

  it('offers of an agent only the keys that are named, where the configuration says so', async () => {
    const config = path.join(folder, 'config');
    await writeFile(config, `IdentitiesOnly yes\nIdentityFile ${sshd.keys.stranger}\n`);
    const options = loginOptions(main, user, { configFile: config, key: sshd.keys.stranger, agent: sshd.agent.socket });
    await expect(says(options)).rejects.toMatchObject({ code: 'credentials', message: expect.stringContaining('none of 1 key') });
  });

  it('asks for a passphrase once, and only where the server takes the key', async () => {
    const key = await encryptedKey();
    const questions: string[] = [];
    const askSecret = async (question: string) => {
      questions.push(question);
      return questions.length === 1 ? 'not it' : sshd.keys.encrypted.passphrase;
    };
    expect(await says(loginOptions(main, user, { key }), { askSecret })).toContain(`${main.port}`);
    expect(questions).toEqual([expect.stringContaining(key), expect.stringContaining('not it')]);
    expect(await says(loginOptions(oneSession, user, { key }))).toContain(`${oneSession.port}`);
    expect(questions).toHaveLength(2);
    const other = path.join(folder, 'other');
    await copyFile(sshd.keys.encrypted.path, other);
    expect(
      await says(loginOptions(main, user, { key: other, agent: false, configFile: await plainIdentity() }), { askSecret: never }),
    ).toContain('127');
  });

  it('is refused clearly where nobody can be asked, and where nobody answers', async () => {
    const key = await encryptedKey();
    await expect(says(loginOptions(main, user, { key }))).rejects.toMatchObject({
      code: 'credentials',
      message: expect.stringContaining('nobody can be asked'),
      remedy: expect.stringContaining('ssh-add'),
    });
    await expect(says(loginOptions(main, user, { key }), { askSecret: async () => undefined })).rejects.toMatchObject({
      code: 'credentials',
      message: expect.stringContaining('was not given'),
    });
  });

  it('reads no start-up file for a long command or one in a terminal, although bash takes itself for a remote shell there', async () => {
    const { server, user } = loginTo(main, sshd.users.slow);
    await using sandbox = await open(ssh, { options: loginOptions(server, user), gate: admitAll() });
    expect((await sandbox.exec(`: ${'x'.repeat(200_000)}; echo long`)).stdout).toBe('long\n');
    const terminal = await sandbox.terminal({ command: 'echo there' });
    expect(Buffer.concat(await terminal.output.toArray()).toString()).toBe('there\r\n');
  });

  it('says which key is missing, unreadable or unknown to the server', async () => {
    const none = path.join(folder, 'none');
    await expect(says(loginOptions(main, user, { key: none }))).rejects.toMatchObject({
      code: 'credentials',
      message: expect.stringContaining(none),
    });
    await writeFile(none, 'no key');
    await expect(says(loginOptions(main, user, { key: none }))).rejects.toMatchObject({
      code: 'credentials',
      message: expect.stringContaining(none),
    });
    await expect(says(loginOptions(main, user, { key: sshd.keys.stranger }))).rejects.toMatchObject({ code: 'credentials' });
    await expect(says(loginOptions({ host: '127.0.0.1', port: 1 }, user))).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  });

  it('passes jump hosts, the one behind the other', async () => {
    const config = path.join(folder, 'config');
    await writeFile(
      config,
      `Host far
  HostName 127.0.0.1
  ProxyJump near,${user.name}@127.0.0.1:${oneSession.port}
Host near
  HostName 127.0.0.1
  Port ${jump.port}
  User ${user.name}
Host *
  IdentityFile ${sshd.keys.plain}
`,
    );
    const before = await connectionsIn(jump.logFile);
    const options = { ...loginOptions(main, user, { configFile: config, host: 'far' }), key: undefined };
    expect(await says(options)).toMatch(new RegExp(` ${main.port}$`));
    expect(await connectionsIn(jump.logFile)).toBe(before + 1);
  });

  it('says that a jump host does not pass on', async () => {
    const config = path.join(folder, 'config');
    await writeFile(
      config,
      `Host far\n  HostName 127.0.0.1\n  ProxyJump ${user.name}@127.0.0.1:${noForwarding.port}\nHost *\n  IdentityFile ${sshd.keys.plain}\n`,
    );
    const options = loginOptions(main, user, { configFile: config, host: 'far' });
    await expect(says(options)).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('does not pass on') });
  });

  it('takes host, user, port and key from TERMINAL_SSH_*', async () => {
    const { host: _host, port: _port, user: _user, key: _key, ...others } = loginOptions(main, user);
    const hostEnv = {
      HOME: folder,
      TERMINAL_SSH_HOST: main.host,
      TERMINAL_SSH_USER: user.name,
      TERMINAL_SSH_PORT: String(main.port),
      TERMINAL_SSH_KEY: sshd.keys.plain,
    };
    expect(await says(others, { hostEnv })).toContain(`${main.port}`);
  });
});

async function plainIdentity(): Promise<string> {
  const config = path.join(folder, 'plain-config');
  await writeFile(config, `IdentityFile ${sshd.keys.plain}\n`);
  return config;
}

async function never(question: string): Promise<string> {
  throw new Error(`nobody should be asked: ${question}`);
}

async function connectionsIn(logFile: string): Promise<number> {
  return (await readFile(logFile, 'utf8')).split('\n').filter((line) => line.startsWith('Connection from')).length;
}
