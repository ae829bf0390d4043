import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testbed } from './place.js';

/** The built command with the built backend, as a user has them. */
const petasos = fileURLToPath(new URL('../../cli/bin/petasos.cjs', import.meta.url));
const plugin = fileURLToPath(new URL('..', import.meta.url));
let home: string;

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
  home = await mkdtemp(path.join(tmpdir(), 'petasos-home-'));
  await mkdir(path.join(home, '.config/petasos'), { recursive: true });
  await writeFile(path.join(home, '.config/petasos/config.yaml'), configuration(testbed.images.debian));
});

afterAll(async () => {
  await run(['rm', '--sandbox', 'docker', 'cli']);
  await rm(home, { recursive: true });
});

interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], program: readonly [string, ...string[]] = [process.execPath, petasos]): Promise<Ran> {
  const [file, ...first] = program;
  const env = { HOME: home, PATH: process.env.PATH, DOCKER_HOST: testbed.host, ACME: 'acme', TERM: 'xterm', SHELL: '/bin/sh' };
  return new Promise((resolve) => {
    const child = execFile(file, [...first, ...args], { env, cwd: home, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ status: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr });
    });
    child.stdin?.end();
  });
}

it('run runs in the configured container and ends with the status of the command', async () => {
  const ran = await run([
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
  const { status, stdout } = await run(['where', '--sandbox', 'docker', '--name', 'cli', '--json']);
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
    forwarded: ['TERM', 'ACME'],
    isolation: 'container',
    warnings: [],
  });
});

it('doctor says which engine it is', async () => {
  const { status, stdout } = await run(['doctor', 'docker']);
  expect(status).toBe(0);
  expect(stdout).toContain('(DOCKER_HOST)');
});

it('shell is a terminal in the container', async () => {
  const command = `${process.execPath} ${petasos} shell --sandbox docker --name cli`;
  const typed = `printf 'tty; exit 3\\n' | script -qec '${command}' /dev/null; echo "status $?"`;
  const { stdout } = await run(['-c', typed], ['/bin/sh']);
  expect(stdout).toContain('/dev/pts/');
  expect(stdout).toContain('status 3');
});

it('ls shows the sandbox, and rm removes it', async () => {
  expect((await run(['ls', '--json'])).stdout).toContain('"cli"');
  expect((await run(['rm', '--sandbox', 'docker', 'cli'])).status).toBe(0);
  expect((await run(['ls', '--json'])).stdout).not.toContain('"cli"');
});
