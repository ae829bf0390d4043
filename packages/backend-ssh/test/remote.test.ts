import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ssh, { type SshOptions } from '@petasos/backend-ssh';
import { admitAll, type OpenOptions, open, type Sandbox } from '@petasos/core';
import { commandLines, type SshServerInfo, startSshServer } from '@petasos/testbed';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { greeting } from './greeting.js';
import { loginOptions, sshd } from './servers.js';

const { main, noForwarding, oneSession, smallDisk, noexecTmp } = sshd.servers;
const user = sshd.users.bash;
const opened: Sandbox[] = [];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ssh-remote-'));
});

afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.destroy();
  await rm(folder, { recursive: true, force: true });
});

async function openOn(server: SshServerInfo | undefined, options: Partial<SshOptions> = {}, others: Partial<OpenOptions> = {}) {
  if (server === undefined) throw new Error('only root can make this server');
  const sandbox = await open(ssh, { options: loginOptions(server, user, options), gate: admitAll(), ...others });
  opened.push(sandbox);
  return sandbox;
}

const logins = async ({ logFile }: SshServerInfo) => (await readFile(logFile, 'utf8')).split('Accepted publickey').length - 1;

/** Arguments of every process of this machine, which is the server's as well. */
const allArguments = async () => (await commandLines()).join('\n');

it('one connection carries everything, also of a second sandbox', async () => {
  const before = await logins(main);
  const sandbox = await openOn(main);
  const other = await openOn(main);
  await Promise.all([sandbox.exec('true'), other.exec('true'), sandbox.exec('cat', { stdin: Buffer.alloc(100_000) })]);
  await sandbox.files.write('one-connection', 'x');
  await sandbox.files.remove('one-connection');
  const forward = await sandbox.forward(main.port);
  expect(await greeting(forward.address)).toContain('SSH-2.0');
  await forward.close();
  await sandbox.placement();
  expect(await logins(main)).toBe(before + 1);
});

it('a server that takes one session on a connection gets a connection for each, and they go with their sessions', async () => {
  const before = await logins(oneSession);
  const sandbox = await openOn(oneSession);
  const results = await Promise.all(Array.from({ length: 5 }, (_, index) => sandbox.exec(`sleep 0.3; echo ${index}`)));
  expect(results.map(({ stdout }) => stdout)).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n']);
  expect(Buffer.from((await sandbox.exec('cat', { stdin: Buffer.alloc(1_000_000, 'x') })).output.stdout.bytes).length).toBe(
    1_048_576 - 48_576,
  );
  expect(await logins(oneSession)).toBeGreaterThan(before + 4);
  await sandbox.destroy();
  await expect.poll(() => connectionsTo(oneSession.port), { timeout: 5_000 }).toBe(0);
});

/** Open TCP connections to a port of this machine. */
async function connectionsTo(port: number): Promise<number> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n');
  return lines.filter((line) => line.includes(`:${hex} 01 `)).length;
}

it('a disk without room does not keep commands from making some', async () => {
  const first = await openOn(smallDisk);
  await first.exec('head -c 3000000 /dev/zero >fill; head -c 3000000 /dev/zero >/tmp/fill');
  const sandbox = await openOn(smallDisk, {}, { name: 'full' });
  expect((await sandbox.exec('echo works; df . >/dev/null')).stdout).toBe('works\n');
  expect((await sandbox.shell().exec('echo shell')).stdout).toBe('shell\n');
  await expect(sandbox.files.write('more', Buffer.alloc(500_000))).rejects.toMatchObject({ code: 'no-space' });
  expect((await openOn(smallDisk, {}, { name: 'full' })).origin).toBe('attached');
  await sandbox.exec('rm fill /tmp/fill');
  await sandbox.files.write('more', Buffer.alloc(500_000));
  await sandbox.files.remove('more');
});

it('nothing is ever run from /tmp', async () => {
  const sandbox = await openOn(noexecTmp);
  expect((await sandbox.exec('echo command')).stdout).toBe('command\n');
  expect((await sandbox.exec('cat', { stdin: 'x'.repeat(100_000) })).stdout).toHaveLength(100_000);
  expect((await sandbox.shell().exec('echo shell')).stdout).toBe('shell\n');
  const job = await sandbox.jobs.start('echo job');
  expect((await sandbox.jobs.wait(job.id)).exitCode).toBe(0);
});

describe('directories that are there', () => {
  it('keep their modes when a tree is unpacked over them, the home directory as well', async () => {
    const sandbox = await openOn(main);
    const modes = async () => (await sandbox.exec('stat -c "%a %n" "$HOME" kept')).stdout;
    await sandbox.exec('mkdir -m 751 kept');
    await chmod(folder, 0o777);
    await mkdir(path.join(folder, 'kept'), { mode: 0o777 });
    await writeFile(path.join(folder, 'kept', 'file'), 'x');
    const before = await modes();
    await sandbox.files.upload(folder, '.');
    expect(await modes()).toBe(before);
    expect(await sandbox.files.readText('kept/file')).toBe('x');
    await sandbox.files.remove('kept', { recursive: true });
  });

  it('keep their modes when records are put below them', async () => {
    const sandbox = await openOn(main);
    await sandbox.exec('mkdir -p .local/state && chmod 751 .local .local/state');
    const another = await openOn(main);
    expect((await another.exec('stat -c %a .local .local/state')).stdout).toBe('751\n751\n');
  });
});

describe('no argument list', () => {
  it('holds a variable, an input, or a word of a terminal', async () => {
    const secret = `secret-${process.pid}-of-a-test`;
    const sandbox = await openOn(main, {}, { env: { OF_ALL: `${secret}-0` } });
    const command = sandbox.exec('echo ready; sleep 1', { env: { MINE: `${secret}-1` }, stdin: `${secret}-2` });
    const terminal = await sandbox.terminal({ command: 'echo "$SHOWN"; sleep 1', env: { SHOWN: `${secret}-3` } });
    const [shown] = (await terminal.output.take(1).toArray()) as Buffer[];
    expect(String(shown)).toContain(`${secret}-3`);
    expect(await allArguments()).not.toContain(secret);
    terminal.kill();
    expect((await command).stdout).toBe('ready\n');
  });
});

describe('a server that does not want', () => {
  it('to forward says so when it is asked to', async () => {
    const sandbox = await openOn(noForwarding);
    await expect(sandbox.forward(80)).rejects.toMatchObject({ code: 'unsupported', data: { capability: 'forward' } });
    expect((await sandbox.exec('echo still')).stdout).toBe('still\n');
  });

  it('to run commands is a typed error', async () => {
    const server = await startSshServer({
      name: 'forced',
      directory: folder,
      hostKey: main.hostKey,
      authorizedKeys: sshd.authorizedKeys,
      config: ['ForceCommand /bin/false'],
    });
    try {
      const options = loginOptions(server, user);
      await expect(open(ssh, { options, gate: admitAll() })).rejects.toMatchObject({
        code: 'place-failed',
        message: expect.stringContaining('no shell'),
      });
    } finally {
      await server.stop();
    }
  });
});

it('no socket is made, so that no path can be too long', async () => {
  const home = path.join(folder, ...Array.from({ length: 10 }, () => 'a-long-name-of-a-directory'));
  await mkdir(home, { recursive: true });
  const sandbox = await openOn(main, {}, { hostEnv: { HOME: home, TMPDIR: home } });
  expect((await sandbox.exec('echo in')).stdout).toBe('in\n');
});

it('doctor says where commands run, and writes nothing', async () => {
  const file = path.join(folder, 'known_hosts');
  const check = (options: SshOptions) => Promise.resolve(ssh.check(options, { env: { HOME: folder }, platform: process.platform }));
  const options = loginOptions(main, user, { hostKeys: 'accept-new' });
  const unknown = await check({ ...options, knownHosts: [file] });
  expect(unknown).toContainEqual(
    expect.objectContaining({ id: 'ssh.login', status: 'warning', message: expect.stringContaining('not known') }),
  );
  await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  const known = await check({ ...options, knownHosts: [sshd.knownHosts] });
  expect(known.map(({ id, status }) => [id, status])).toEqual([
    ['ssh.configuration', 'ok'],
    ['ssh.login', 'ok'],
    ['ssh.shell', 'ok'],
    ['ssh.files', 'ok'],
  ]);
  const [down] = (await check({ ...options, port: 1, knownHosts: [file] })).slice(-1);
  expect(down).toMatchObject({ status: 'failed', remedy: expect.stringContaining('sshd') });
});
