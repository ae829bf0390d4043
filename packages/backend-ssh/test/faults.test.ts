import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import ssh from '@petasos/backend-ssh';
import { admitAll, isPetasosError, open, type Sandbox } from '@petasos/core';
import { commandLines, type FaultProxy, type SshServer, startSshServer } from '@petasos/testbed';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { greeting } from './greeting.js';
import { running } from './running.js';
import { loginOptions, portOf, proxyTo, sshd } from './servers.js';

const { main } = sshd.servers;
const user = sshd.users.bash;

let folder: string;
let proxy: FaultProxy;
const opened: Sandbox[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ssh-faults-'));
  await chmod(folder, 0o777);
  proxy = await proxyTo(main);
});

afterEach(async () => {
  proxy.resume();
  proxy.accept();
  for (const sandbox of opened.splice(0)) await sandbox.destroy();
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
});

const options = (port = portOf(proxy.address), others = {}) => loginOptions({ host: '127.0.0.1', port }, user, others);

async function openThrough(port?: number): Promise<Sandbox> {
  const sandbox = await open(ssh, { options: options(port), gate: admitAll() });
  opened.push(sandbox);
  return sandbox;
}

/** Whether a process with this word in its arguments is alive. */
async function alive(word: string): Promise<boolean> {
  return (await commandLines(user.uid)).some((line) => line.startsWith(`sleep ${word}`));
}

const breaks: readonly (readonly [string, (proxy: FaultProxy) => void])[] = [
  ['cut', (line) => line.cut()],
  ['stalled', (line) => line.stall()],
  ['half-closed towards the server', (line) => line.halfClose('upstream')],
  ['half-closed towards the client', (line) => line.halfClose('client')],
];

describe.each(breaks)('a line that is %s', (_name, spoil) => {
  it('ends the command on it within 5 s, is replaced for the next, and runs nothing twice', async () => {
    const sandbox = await openThrough();
    const count = path.join(folder, 'count');
    const { result } = await running(sandbox, `echo run >>'${count}'; echo part; sleep 99; echo never`);
    const began = performance.now();
    spoil(proxy);
    expect(await result).toMatchObject({ ended: 'disconnected', exitCode: null, signal: null, stdout: 'part\n' });
    expect(performance.now() - began).toBeLessThan(5_000);
    proxy.resume();
    expect((await sandbox.exec('echo again')).stdout).toBe('again\n');
    expect(await readFile(count, 'utf8')).toBe('run\n');
  });

  it('leaves of a file that is being written what was there before', async () => {
    const sandbox = await openThrough();
    await sandbox.files.write(`${folder}/file`, 'old');
    const part = randomBytes(4 * 1024 * 1024);
    let sent = 0;
    async function* content() {
      for (; sent < 64; sent += 1) {
        if (sent === 4) spoil(proxy);
        yield part;
      }
    }
    await expect(sandbox.files.write(`${folder}/file`, Readable.from(content(), { objectMode: false }))).rejects.toMatchObject({
      code: 'disconnected',
      retryable: true,
    });
    proxy.resume();
    expect(await sandbox.files.readText(`${folder}/file`)).toBe('old');
  });

  it('leaves no half tree on either side', async () => {
    const sandbox = await openThrough();
    const local = path.join(folder, 'local');
    await mkdir(local);
    for (let index = 0; index < 20; index += 1) await writeFile(path.join(local, `${index}`), randomBytes(64 * 1024));
    // So large that no transfer is over before its first progress is told.
    await writeFile(path.join(local, 'large'), '');
    await truncate(path.join(local, 'large'), 2 ** 30);
    let spoilt = false;
    const onProgress = () => {
      if (!spoilt) spoil(proxy);
      spoilt = true;
    };
    await expect(sandbox.files.upload(local, `${folder}/up`, { onProgress })).rejects.toMatchObject({ code: 'disconnected' });
    proxy.resume();
    expect((await sandbox.exec(`ls '${folder}/up' 2>/dev/null | wc -l`)).stdout.trim()).toBe('0');
    spoilt = false;
    await sandbox.exec(`mkdir '${folder}/whole' && truncate -s 1G '${folder}/whole/large' && echo first >'${folder}/whole/first'`);
    await expect(sandbox.files.download(`${folder}/whole`, path.join(folder, 'down'), { onProgress })).rejects.toMatchObject({
      code: 'disconnected',
    });
    proxy.resume();
    expect(existsSync(path.join(folder, 'down')) ? readdirSync(path.join(folder, 'down')) : []).toEqual([]);
  });

  it('is a typed error of an open that it interrupts', async () => {
    const bytes = [1, 1_500, 4_000];
    for (const [index, after] of bytes.entries()) {
      const started = proxy.connections.total;
      const attempt = open(ssh, {
        options: options(undefined, { connectTimeoutMs: 1_500, key: sshd.keys[index % 2 ? 'rsa' : 'plain'] }),
        gate: admitAll(),
      });
      attempt.catch(() => {});
      if (spoil === breaks[0]?.[1]) proxy.cutAfter(after);
      else {
        await expect.poll(() => proxy.connections.total, { interval: 1, timeout: 10_000 }).toBeGreaterThan(started);
        spoil(proxy);
      }
      const outcome = await attempt.then(
        (sandbox) => sandbox.destroy().then(() => undefined),
        (error: unknown) => error,
      );
      if (outcome !== undefined) expect(isPetasosError(outcome) && ['unavailable', 'disconnected'].includes(outcome.code)).toBe(true);
      proxy.cut();
      proxy.resume();
    }
    await expect.poll(() => proxy.connections.open, { timeout: 10_000 }).toBe(0);
    await openThrough();
  });
});

describe('a lost connection', () => {
  it('ends the foreground command on the server, while a job runs on and is taken up again', async () => {
    const sandbox = await openThrough();
    const [word, jobWord] = ['4711.25', '4712.25'];
    const job = await sandbox.jobs.start(`echo begun; sleep ${jobWord}; exit 0`);
    const { result } = await running(sandbox, `echo ready; sleep ${word}`);
    await expect.poll(() => alive(word), { timeout: 10_000 }).toBe(true);
    proxy.cut();
    expect((await result).ended).toBe('disconnected');
    await expect.poll(() => alive(word), { timeout: 5_000 }).toBe(false);
    expect(await alive(jobWord)).toBe(true);
    expect(Buffer.from((await sandbox.jobs.output(job.id)).bytes).toString()).toBe('begun\n');
    expect((await sandbox.jobs.kill(job.id, 'SIGKILL')).state).toBe('signaled');
  });

  it('ends every way of using it, and each works again', async () => {
    const sandbox = await openThrough();
    const terminal = await sandbox.terminal({ command: 'cat' });
    const forward = await sandbox.forward(main.port);
    const process = await sandbox.spawn('cat', { stdin: 'pipe' });
    process.stdout.resume();
    process.stderr.resume();
    terminal.output.resume();
    proxy.cut();
    expect(await terminal.exited).toMatchObject({ ended: 'disconnected' });
    expect(await process.exited).toMatchObject({ ended: 'disconnected', exitCode: null });
    process.stdin?.on('error', () => {});
    process.stdin?.end('into the void');
    expect(await greeting(forward.address)).toContain('SSH-2.0');
    await forward.close();
    expect((await sandbox.shell().exec('echo shell')).stdout).toBe('shell\n');
  });
});

describe('a server that ends and comes back', () => {
  let server: SshServer;
  const start = (port?: number) =>
    startSshServer({
      name: 'again',
      directory: folder,
      hostKey: main.hostKey,
      authorizedKeys: sshd.authorizedKeys,
      ...(port === undefined ? {} : { port }),
    });

  it('is the same place: commands end, the next one after it works, jobs are still there', async () => {
    server = await start();
    const sandbox = await openThrough(server.port);
    const job = await sandbox.jobs.start('sleep 3; echo done');
    const { result } = await running(sandbox, 'echo ready; sleep 98');
    await server.stop();
    expect(await result).toMatchObject({ ended: 'disconnected', exitCode: null });
    await expect(sandbox.exec('true')).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    server = await start(server.port);
    expect((await sandbox.exec('echo back')).stdout).toBe('back\n');
    expect(['running', 'exited']).toContain((await sandbox.jobs.get(job.id)).state);
    expect((await sandbox.jobs.wait(job.id)).exitCode).toBe(0);
    await sandbox.destroy();
    await server.stop();
  });
});

it('moves 64 MiB both ways through SFTP on a slow line, byte for byte', async () => {
  const sandbox = await openThrough();
  proxy.delay(10);
  const bytes = randomBytes(64 * 1024 * 1024);
  await sandbox.files.write(`${folder}/big`, bytes);
  const hash = createHash('sha256');
  for await (const chunk of await sandbox.files.readStream(`${folder}/big`)) hash.update(chunk as Uint8Array);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(
    Buffer.from(await sandbox.files.read(`${folder}/big`, { offset: 1_000_001, length: 99_999 })).equals(
      bytes.subarray(1_000_001, 1_100_000),
    ),
  ).toBe(true);
  proxy.delay(0);
});
