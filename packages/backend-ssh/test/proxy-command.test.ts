import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ssh from '@petasos/backend-ssh';
import { admitAll, open } from '@petasos/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { running } from './running.js';
import { loginOptions, relayThrough, sshd } from './servers.js';

const { main, jump } = sshd.servers;
const user = sshd.users.bash;

let folder: string;
let pidFile: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ssh-proxy-command-'));
  pidFile = path.join(folder, 'pid');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function configWith(command: string): Promise<string> {
  const file = path.join(folder, 'config');
  await writeFile(file, `ProxyCommand ${command}\n`);
  return file;
}

async function openThrough(command: string) {
  const configFile = await configWith(command);
  return open(ssh, { options: loginOptions(main, user, { configFile, connectTimeoutMs: 5_000 }), gate: admitAll() });
}

/** The relay that {@link relayThrough} makes, in a shell that notes its pid. */
function noted(): string {
  return `sh -c 'echo $$ >${pidFile}; exec ${relayThrough(jump, user)}'`;
}

async function relay(): Promise<number> {
  return Number(await readFile(pidFile, 'utf8'));
}

function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

describe('a ProxyCommand', () => {
  it('carries the connection, and is gone when nobody uses it any more', async () => {
    const sandbox = await openThrough(noted());
    expect((await sandbox.exec('printf %s "$SSH_CONNECTION"')).stdout).toMatch(new RegExp(` ${main.port}$`));
    const pid = await relay();
    expect(isAlive(pid)).toBe(true);
    await sandbox.destroy();
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
  });

  it('is named by doctor as a part of the way', async () => {
    const options = loginOptions(main, user, { configFile: await configWith(noted()), hostKeys: 'strict', knownHosts: [sshd.knownHosts] });
    const [way, login] = await ssh.check(options, { env: process.env, platform: process.platform });
    expect(way?.message).toMatch(/ by way of a ProxyCommand$/);
    expect(login).toMatchObject({ id: 'ssh.login', status: 'ok' });
  });

  it('is no business of the terminal that Petasos runs on: an interrupt goes to the command alone', async () => {
    await using sandbox = await openThrough(noted());
    await sandbox.exec('true');
    const session = (pid: number) => spawnSync('ps', ['-o', 'sid=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
    expect(session(await relay())).not.toBe(session(process.pid));
  });

  it('that dies ends the command as disconnected, and the next one starts it anew', async () => {
    await using sandbox = await openThrough(noted());
    const { result } = await running(sandbox, 'echo ready; sleep 60');
    const before = await relay();
    process.kill(before, 'SIGKILL');
    expect(await result).toMatchObject({ ended: 'disconnected', exitCode: null, stdout: 'ready\n' });
    expect((await sandbox.exec('echo again')).stdout).toBe('again\n');
    expect(await relay()).not.toBe(before);
  });

  it.each([
    ['ends', 'sh -c "echo no way through >&2; exit 3"', /ended with status 3: no way through$/],
    ['is killed', `sh -c 'echo so far >&2; kill -KILL $$'`, /ended by SIGKILL: so far$/],
    ['does not exist', '/no/such/relay %h', /ended with status 12[67]: .*\/no\/such\/relay/],
    ['says nothing', 'cat >/dev/null', /did not answer within 5 s$/],
  ])('that %s is an error that says so', async (_what, command, message) => {
    const refused = openThrough(command).then((sandbox) => sandbox.exec('true'));
    await expect(refused).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
      message: expect.stringMatching(message),
      remedy: expect.any(String),
    });
  });

  it('that answers nonsense is an error at once', async () => {
    const refused = openThrough('echo nonsense').then((sandbox) => sandbox.exec('true'));
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' });
  });
});
