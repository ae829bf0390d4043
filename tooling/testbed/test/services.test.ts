import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DockerInfo, ServiceStatus, SshdInfo, SshUser } from '../src/index.js';

const folder = fileURLToPath(new URL('..', import.meta.url));
let root: string;

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function call(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { cwd: folder, env: { ...process.env, ...env } },
      (error: ExecFileException | null, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}

/** The testbed of another checkout, so that nobody's running services are touched. */
const testbed = (...args: string[]) =>
  call(join(folder, '../../node_modules/.bin/tsx'), ['src/main.ts', ...args], { PETASOS_TESTBED_ROOT: root });

async function statusOf(name: string): Promise<ServiceStatus> {
  const { stdout } = await testbed('status', '--json');
  const found = (JSON.parse(stdout) as ServiceStatus[]).find((service) => service.name === name);
  if (found === undefined) throw new Error(`no status of ${name}`);
  return found;
}

/** A process that has ended and that its parent has not asked about is dead. */
const isAlive = (pid: number) => existsSync(`/proc/${pid}`) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'petasos testbed '));
});

afterAll(async () => {
  await testbed('down');
  await rm(root, { recursive: true, force: true });
});

it('refuses a service that there is not', async () => {
  const { code, stderr } = await testbed('up', 'teapot');
  expect(code).toBe(2);
  expect(stderr).toContain('no service is called teapot');
});

describe('sshd', () => {
  let info: SshdInfo;

  beforeAll(async () => {
    const { code, stderr } = await testbed('up', 'sshd');
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const { state, info: found } = await statusOf('sshd');
    expect(state).toBe('answers');
    info = found as SshdInfo;
  });

  const login = (port: number, user: string, command: string, options: readonly string[] = ['-i', info.keys.plain]) =>
    call(
      'ssh',
      [
        '-F',
        'none',
        '-o',
        'BatchMode=yes',
        '-o',
        `UserKnownHostsFile="${info.knownHosts}"`,
        ...options,
        '-p',
        String(port),
        `${user}@127.0.0.1`,
        command,
      ],
      {
        SSH_AUTH_SOCK: '',
      },
    );

  const user = (kind: keyof SshdInfo['users']): SshUser => {
    const found = info.users[kind];
    if (found === undefined) throw new Error(`no user with ${kind}`);
    return found;
  };

  it.each(['bash', 'dash', 'fish', 'restricted'] as const)('lets the user with %s in', async (kind) => {
    const { name, home, uid } = user(kind);
    const { code, stdout } = await login(info.servers.main.port, name, 'id -u; pwd');
    expect(code).toBe(0);
    expect(stdout).toBe(`${uid}\n${home}\n`);
  });

  it('keeps the restricted user in its directory', async () => {
    const { code, stderr } = await login(info.servers.main.port, user('restricted').name, 'cd /');
    expect(code).toBe(1);
    expect(stderr).toContain('restricted');
  });

  it('has a user whose start-up file talks', async () => {
    const { stdout } = await login(info.servers.main.port, user('slow').name, 'echo done');
    expect(stdout).toBe('Welcome to this machine\ndone\n');
  });

  it('takes a key from the agent and from no other', async () => {
    const agent = ['-o', `IdentityAgent="${info.agent.socket}"`];
    expect((await login(info.servers.main.port, info.users.bash.name, 'echo in', agent)).stdout).toBe('in\n');
    const stranger = await login(info.servers.main.port, info.users.bash.name, 'echo in', [
      '-i',
      info.keys.stranger,
      '-o',
      'IdentitiesOnly=yes',
    ]);
    expect(stranger.stdout).toBe('');
    expect(stranger.stderr).toContain('Permission denied');
  });

  it('has a server without SFTP and one with', async () => {
    const sftp = (port: number) =>
      call('sftp', [
        '-F',
        'none',
        '-b',
        '/dev/null',
        '-o',
        `UserKnownHostsFile="${info.knownHosts}"`,
        '-i',
        info.keys.plain,
        '-P',
        String(port),
        `${info.users.bash.name}@127.0.0.1`,
      ]);
    expect((await sftp(info.servers.main.port)).code).toBe(0);
    expect((await sftp(info.servers.noSftp.port)).code).not.toBe(0);
  });

  it('has a server that forwards and one that does not', async () => {
    const through = (port: number) =>
      login(info.servers.jump.port, info.users.bash.name, 'echo behind', [
        '-i',
        info.keys.plain,
        '-o',
        `ProxyCommand=ssh -F none -o BatchMode=yes -o UserKnownHostsFile="${info.knownHosts}" -i "${info.keys.plain}" -p ${port} -W %h:%p ${info.users.bash.name}@127.0.0.1`,
      ]);
    expect((await through(info.servers.main.port)).stdout).toBe('behind\n');
    expect((await through(info.servers.noForwarding.port)).stdout).toBe('');
  });

  it('has servers with a full disk and with a /tmp where nothing runs', async () => {
    const { smallDisk, noexecTmp } = info.servers;
    const full = await login(smallDisk?.port ?? 0, info.users.bash.name, 'head -c 3M /dev/zero > fill');
    expect(full.stderr).toContain('No space left');
    const noexec = await login(noexecTmp?.port ?? 0, info.users.bash.name, 'cp /bin/true /tmp/t && /tmp/t');
    expect(noexec.code).toBe(126);
  });

  it('is not started twice, and is started anew when one of its servers is dead', async () => {
    expect((await testbed('up', 'sshd')).stdout).toContain('runs already');
    process.kill(info.servers.oneSession.pid, 'SIGKILL');
    expect((await testbed('up', 'sshd')).stdout).toContain('does not answer any more');
    expect((await statusOf('sshd')).state).toBe('answers');
  });

  it('ends what an earlier start left behind without a record', async () => {
    const { processes } = await statusOf('sshd');
    await rm(join(root, '.testbed'), { recursive: true });
    const { code, stdout } = await testbed('up', 'sshd');
    expect(code).toBe(0);
    expect(stdout).toContain('started sshd');
    expect(processes.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  it('leaves no process, no user and no folder', async () => {
    const { processes, info: last } = await statusOf('sshd');
    const { users, knownHosts, servers, keys } = last as SshdInfo;
    const session = call('ssh', [
      '-F',
      'none',
      '-o',
      `UserKnownHostsFile="${knownHosts}"`,
      '-i',
      keys.plain,
      '-p',
      String(servers.main.port),
      `${users.bash.name}@127.0.0.1`,
      'sleep 4242',
    ]);
    await expect
      .poll(async () => (await call('pgrep', ['-u', String(users.bash.uid), '-f', 'sleep 4242'])).code, { timeout: 10_000 })
      .toBe(0);

    expect((await testbed('down', 'sshd')).stdout).toBe('stopped sshd\n');
    expect((await session).code).not.toBe(0);
    expect(processes.length).toBeGreaterThan(5);
    expect(processes.filter(({ pid }) => isAlive(pid))).toEqual([]);
    expect((await call('pgrep', ['--runstates', 'R,S,D,T', '-u', String(users.bash.uid)])).code).toBe(1);
    expect(await readFile('/etc/passwd', 'utf8')).not.toContain(users.bash.name);
    expect(existsSync(knownHosts)).toBe(false);
    expect((await statusOf('sshd')).state).toBe('not started');
  });
});

describe('docker', () => {
  let info: DockerInfo;

  beforeAll(async () => {
    const { code, stderr } = await testbed('up', 'docker');
    expect(stderr).toBe('');
    expect(code).toBe(0);
    info = (await statusOf('docker')).info as DockerInfo;
  }, 180_000);

  const docker = (...args: string[]) => call('docker', args, { DOCKER_HOST: info.host });

  it('runs containers of a Debian image with bash', async () => {
    const { stdout, stderr } = await docker(
      'run',
      '--rm',
      '--network',
      'none',
      info.images.debian,
      'bash',
      '-c',
      'echo "$BASH_VERSION" && cat /etc/debian_version',
    );
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^5\.2.*\n12\.\d+\n$/);
  });

  it('runs containers of an image that has sh and no bash', async () => {
    const { stdout } = await docker(
      'run',
      '--rm',
      '--network',
      'none',
      info.images.busybox,
      'sh',
      '-c',
      'command -v bash || echo none; echo a | sed s/a/b/',
    );
    expect(stdout).toBe('none\nb\n');
  });

  it('limits memory', async () => {
    const { code } = await docker(
      'run',
      '--rm',
      '--network',
      'none',
      '--memory',
      '16m',
      info.images.debian,
      'bash',
      '-c',
      'head -c 64M /dev/zero | tail',
    );
    expect(code).toBe(137);
  });

  it('can be one that is there already, which it then leaves alone', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'petasos elsewhere '));
    const env = { PETASOS_TESTBED_ROOT: elsewhere, PETASOS_TESTBED_DOCKER: info.host };
    const other = (...args: string[]) => call(join(folder, '../../node_modules/.bin/tsx'), ['src/main.ts', ...args], env);
    try {
      const started = await other('up', 'docker');
      expect(started.stderr).toBe('');
      expect(started.stdout).toContain(`using the engine at ${info.socket}`);
      const all = JSON.parse((await other('status', '--json')).stdout) as ServiceStatus[];
      const found = all.find(({ name }) => name === 'docker');
      expect(found).toMatchObject({ state: 'answers', processes: [], info: { images: info.images } });
      if (found === undefined) throw new Error('the service is not listed');
      const { tars } = found.info as DockerInfo;
      expect((await call('tar', ['-tf', tars.debian])).stdout).toContain('etc/debian_version');
      expect((await docker('ps', '-aq')).stdout).toBe('');
    } finally {
      expect((await other('down')).stdout).toBe('stopped docker\n');
      await rm(elsewhere, { recursive: true, force: true });
    }
    expect((await statusOf('docker')).state).toBe('answers');
  });

  it('leaves no process, no mount and no folder, not even with a container that runs', async () => {
    expect((await docker('run', '-d', '--network', 'none', info.images.busybox, 'sleep', '4343')).code).toBe(0);
    const { processes } = await statusOf('docker');
    expect(processes.map(({ name }) => name)).toEqual(['dockerd', 'containerd']);
    expect((await testbed('down')).stdout).toBe('stopped docker\n');
    expect(processes.filter(({ pid }) => isAlive(pid))).toEqual([]);
    expect((await call('pgrep', ['--runstates', 'R,S,D,T', '-f', 'sleep 4343'])).code).toBe(1);
    const directory = info.socket.slice(0, -'/docker.sock'.length);
    expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(directory);
    expect(existsSync(directory)).toBe(false);
  });
});
