import { fileURLToPath } from 'node:url';
import { type PetasosUser, petasosUser } from '@petasos/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testbed } from './place.js';

/** The built backend, as a user has it. */
const plugin = fileURLToPath(new URL('..', import.meta.url));
let me: PetasosUser;

/** A configuration in the words of existing files. */
const configuration = (image: string) => `
plugins: ["${plugin}"]
approvals:
  mode: off
terminal:
  cwd: "."
  docker_image: "${image}"
  container_cpu: 1
  container_memory: 512
  container_persistent: true
  docker_env: {GREETING: hello}
  docker_forward_env: [ACME]
  docker_extra_args: ["--add-host=me:127.0.0.1"]
  docker_network: false
  docker_shm_size: 256m
  docker_orphan_reaper: true
  docker_persist_across_processes: true
`;

beforeAll(async () => {
  me = await petasosUser({ DOCKER_HOST: testbed.host, ACME: 'acme' });
  await me.configure(configuration(testbed.images.debian));
});

afterAll(async () => {
  await me.run(['rm', '--sandbox', 'docker', 'cli']);
  await me.remove();
});

it('run runs in the configured container and ends with the status of the command', async () => {
  const ran = await me.run([
    'run',
    '--sandbox',
    'docker',
    '--name',
    'cli',
    '--',
    'echo "$GREETING $ACME"; pwd; df -m /dev/shm | tail -n 1; grep -w me /etc/hosts; echo problem >&2; exit 5',
  ]);
  expect(ran).toMatchObject({ status: 5, stderr: 'problem\n' });
  expect(ran.stdout).toMatch(/^hello acme\n\/root\nshm\s+256 .*\n127\.0\.0\.1\s+me\n$/);
});

it('where tells image, user, limits, network and what is forwarded', async () => {
  const { status, stdout } = await me.run(['where', '--sandbox', 'docker', '--name', 'cli', '--json']);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    backend: 'docker',
    sandbox: 'cli',
    origin: 'attached',
    machine: { image: testbed.images.debian },
    user: { name: 'root', uid: 0 },
    workdir: '/root',
    network: { mode: 'none' },
    limits: { cpus: 1, memoryMiB: 512, pids: 1024 },
    forwarded: ['LANG', 'TERM', 'ACME'],
    isolation: 'container',
    warnings: [],
  });
});

it('where tells a person the same, and warns of nothing', async () => {
  const { status, stdout, stderr } = await me.run(['where', '--sandbox', 'docker', '--name', 'cli']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const line of [
    /^Backend +docker \(@petasos\/backend-docker \d/m,
    /^Chosen by +--sandbox$/m,
    /^Sandbox +cli$/m,
    new RegExp(`^Machine +cli, linux, image ${testbed.images.debian}$`, 'm'),
    /^User +root \(uid 0\)$/m,
    /^Starts in +\/root$/m,
    /^Isolation +container$/m,
    /^Files +kept until the sandbox is destroyed$/m,
    /^Network +none$/m,
    /^Forwarded +LANG, TERM, ACME$/m,
    /^Limits +1 CPU, 512 MiB of memory, 1024 processes$/m,
    /^Cost +free$/m,
  ]) {
    expect(stdout).toMatch(line);
  }
  expect(stdout).not.toContain('warning');
});

it('doctor says which engine it is, and what it finds there', async () => {
  const { status, stdout, stderr } = await me.run(['doctor', 'docker']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('(DOCKER_HOST)');
  expect(stdout).toContain(testbed.images.debian);
});

it('doctor names what is wrong and what to do, and fails', async () => {
  const other = await petasosUser({ DOCKER_HOST: 'unix:///nowhere/docker.sock' });
  await other.configure({ plugins: [plugin] });
  try {
    const { status, stdout, stderr } = await other.run(['doctor', 'docker', '--json']);
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      backends: [{ backend: 'docker', findings: [{ status: 'failed', message: expect.stringContaining('/nowhere/docker.sock') }] }],
    });
    const ran = await other.run(['run', '--sandbox', 'docker', '--', 'true']);
    expect(ran).toMatchObject({ status: 125, stdout: '' });
    expect(ran.stderr).toMatch(/^petasos: docker: .*\/nowhere\/docker\.sock.*\n$/);
  } finally {
    await other.remove();
  }
});

it('shell is a terminal in the container, and without one reads lines', async () => {
  const typed = await me.type(['shell', '--sandbox', 'docker', '--name', 'cli'], 'tty; exit 3\n');
  expect(typed.stdout).toContain('/dev/pts/');
  expect(typed.status).toBe(3);
  const plain = await me.run(['shell', '--plain', '--sandbox', 'docker', '--name', 'cli'], 'cd /tmp\npwd\nexit 4\n');
  expect(plain).toMatchObject({ status: 4, stdout: '/tmp\n' });
});

it('ls shows the sandbox, and rm removes it', async () => {
  expect((await me.run(['ls', '--json'])).stdout).toContain('"cli"');
  expect((await me.run(['rm', '--sandbox', 'docker', 'cli'])).status).toBe(0);
  expect((await me.run(['ls', '--json'])).stdout).not.toContain('"cli"');
});
