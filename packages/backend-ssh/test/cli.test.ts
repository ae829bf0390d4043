import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PetasosUser, petasosUser } from '@petasos/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sshd } from './servers.js';

/** The built backend, as a user has it. */
const plugin = fileURLToPath(new URL('..', import.meta.url));
const { main: server } = sshd.servers;
const user = sshd.users.bash;
const login = {
  TERMINAL_SSH_HOST: server.host,
  TERMINAL_SSH_USER: user.name,
  TERMINAL_SSH_PORT: String(server.port),
  TERMINAL_SSH_KEY: sshd.keys.plain,
};
const name = `cli-${process.pid}`;
let me: PetasosUser;

async function newcomer(env: Readonly<Record<string, string>>, more: object = {}): Promise<PetasosUser> {
  const one = await petasosUser(env);
  await one.configure({ plugins: [plugin], approvals: { mode: 'off' }, ...more });
  return one;
}

beforeAll(async () => {
  me = await newcomer(login);
});

afterAll(async () => {
  await me.run(['rm', '--sandbox', 'ssh', name]);
  await me.remove();
});

it('doctor warns of a host that nobody knows yet, and remembers nothing', async () => {
  const { status, stdout, stderr } = await me.run(['doctor', 'ssh']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain(`commands run at ${user.name}@${server.host}`);
  expect(stdout).toMatch(/! .*is not known/);
  await expect(readFile(join(me.home, '.ssh/known_hosts'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('doctor fails where such a host would be refused, as a command does', async () => {
  const careful = await newcomer(login, { options: { ssh: { hostKeys: 'strict' } } });
  try {
    const doctor = await careful.run(['doctor', 'ssh']);
    expect(doctor.status).toBe(1);
    expect(doctor.stdout).toMatch(/✗ the host key of .* is not known, and only known hosts are accepted/);
    const ran = await careful.run(['run', '--sandbox', 'ssh', '--', 'true']);
    expect(ran).toMatchObject({ status: 125, stdout: '' });
    expect(ran.stderr).toMatch(/^petasos: ssh: the host key of [^\n]* is not known[^\n]*\n$/);
  } finally {
    await careful.remove();
  }
});

it('run runs there, with input and output as they are, and ends with the status of the command', async () => {
  const command = ['run', '--sandbox', 'ssh', '--name', name, '--env', 'GREETING=hello', '--'];
  const ran = await me.run([...command, 'cat; echo "$GREETING"; id -un; pwd; echo problem >&2; exit 5'], 'input\n');
  expect(ran).toEqual({ status: 5, stdout: `input\nhello\n${user.name}\n${user.home}\n`, stderr: 'problem\n' });
  expect(await readFile(join(me.home, '.ssh/known_hosts'), 'utf8')).toContain('ssh-ed25519 ');
});

it('where tells machine, user and isolation, to a program and to a person', async () => {
  const asked = await me.run(['where', '--sandbox', 'ssh', '--name', name, '--json']);
  expect({ status: asked.status, stderr: asked.stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(asked.stdout)).toMatchObject({
    backend: 'ssh',
    sandbox: name,
    origin: 'attached',
    user: { name: user.name, uid: user.uid },
    startsIn: user.home,
    network: { mode: 'open' },
    isolation: 'remote-host',
    storage: 'host',
    forwarded: ['LANG', 'TERM'],
    notices: [],
  });
  const { status, stdout } = await me.run(['where', '--sandbox', 'ssh', '--name', name]);
  expect(status).toBe(0);
  for (const line of [
    /^Backend +ssh \(@petasos\/backend-ssh \d/m,
    new RegExp(`^User +${user.name} \\(uid ${user.uid}\\)$`, 'm'),
    new RegExp(`^Starts in +${user.home}$`, 'm'),
    /^Files +the files of that machine$/m,
    /^Isolation +another machine: a command can do there whatever its user can$/m,
    /^Network +open$/m,
    /^Cost +free$/m,
  ]) {
    expect(stdout).toMatch(line);
  }
});

it('doctor tells how it logged in, how fast, and how files travel', async () => {
  const { status, stdout } = await me.run(['doctor', 'ssh', '--json']);
  expect(status).toBe(0);
  const [{ findings }] = JSON.parse(stdout).backends;
  expect(findings.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
    ['ssh.configuration', 'ok'],
    ['ssh.login', 'ok'],
    ['ssh.shell', 'ok'],
    ['ssh.files', 'ok'],
  ]);
});

it('a login that is refused is one line with what to do, and doctor fails by it', async () => {
  const stranger = await newcomer({ ...login, TERMINAL_SSH_KEY: sshd.keys.stranger });
  try {
    const ran = await stranger.run(['run', '--sandbox', 'ssh', '--', 'true']);
    expect(ran).toMatchObject({ status: 125, stdout: '' });
    expect(ran.stderr).toMatch(/^petasos: ssh: [^\n]+\. [^\n]+\n$/);
    // The host became known by that.
    const { status, stdout } = await stranger.run(['doctor', 'ssh']);
    expect(status).toBe(1);
    expect(stdout).toMatch(/✗ .*127\.0\.0\.1/);
  } finally {
    await stranger.remove();
  }
});

it('shell is a terminal there, and without one reads lines', async () => {
  const typed = await me.type(['shell', '--sandbox', 'ssh', '--name', name], 'tty; exit 3\n');
  expect(typed.stdout).toContain('/dev/pts/');
  expect(typed.status).toBe(3);
  const plain = await me.run(['shell', '--plain', '--sandbox', 'ssh', '--name', name], 'cd /tmp\npwd\nexit 4\n');
  expect(plain).toMatchObject({ status: 4, stdout: '/tmp\n' });
});

it('what the place cannot do is told; ls shows the sandbox, and rm removes it', async () => {
  for (const words of [
    ['stop', name],
    ['snapshot', name],
    ['restore', '--sandbox', 'ssh', 'id', 'again'],
  ]) {
    const { status, stderr } = await me.run(words);
    expect(status).toBe(125);
    expect(stderr).toMatch(/^petasos: ssh does not support (pause|snapshot)\. [^\n]+\n$/);
  }
  const { sandboxes } = JSON.parse((await me.run(['ls', '--sandbox', 'ssh', '--json'])).stdout);
  expect(sandboxes).toContainEqual(expect.objectContaining({ name, backend: 'ssh', state: 'running' }));
  expect((await me.run(['rm', '--sandbox', 'ssh', name])).stderr).toBe(`Destroyed ${name} (ssh).\n`);
  expect((await me.run(['ls', '--json'])).stdout).not.toContain(name);
});
