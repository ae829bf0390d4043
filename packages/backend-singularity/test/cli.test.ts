import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Placement } from '@petasos/core';
import { need } from '@petasos/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';

const { program, asUser, images, user } = await need('apptainer');
const { conf, node } = await need('slurm');

// By path: a package that depended on the CLI would have its command linked, which does not exist before the build.
const petasos = fileURLToPath(new URL('../../cli/bin/petasos.cjs', import.meta.url));
const backend = fileURLToPath(new URL('..', import.meta.url));

let home: string;
let shared: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'petasos-home-'));
  // The container's user is another one.
  await chmod(home, 0o711);
  shared = join(home, 'shared');
  await mkdir(shared);
});

afterAll(() => rm(home, { recursive: true, force: true }));

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], input = ''): Promise<Ran> {
  const child = spawn(process.execPath, [petasos, ...args], { env: { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8' }, cwd: home });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
}

async function configure(more: object): Promise<void> {
  const options = { program, launcher: [...asUser, 'env', `SLURM_CONF=${conf}`], binds: [`${shared}:/data:ro`], ...more };
  const config = {
    plugins: [backend],
    approvals: { mode: 'off' },
    terminal: {
      singularity_image: images.sif,
      container_cpu: 1,
      container_memory: 5120,
      container_disk: 51_200,
      container_persistent: true,
    },
    options: { singularity: options },
  };
  await mkdir(join(home, '.config/petasos'), { recursive: true });
  await writeFile(join(home, '.config/petasos/config.yaml'), JSON.stringify(config));
}

it.each([
  ['this machine', {}],
  ['a node that SLURM gives', { slurm: { time: '10' } }],
])('petasos runs a command in a container on %s, and tells what it sees', async (_, more) => {
  await configure(more);
  try {
    const ran = await run(['run', '--sandbox', 'singularity', '--', 'cat; id -un; exit 7'], 'input\n');
    expect(ran).toMatchObject({ status: 7, stdout: `input\n${user.name}\n` });

    const where = await run(['where', '--sandbox', 'singularity', '--json']);
    const placement = JSON.parse(where.stdout) as Placement;
    expect(placement).toMatchObject({ backend: 'singularity', isolation: 'container', machine: { name: node, image: images.sif } });
    // What was asked for, and what the site binds on its own.
    expect(placement.mounts).toContainEqual({ source: shared, target: '/data', access: 'read-only' });
    expect(placement.mounts).toContainEqual({ source: '/etc/hosts', target: '/etc/hosts', access: 'read-only' });
    expect(placement.warnings.map(({ id }) => id)).toEqual(expect.arrayContaining(['singularity.unlimited', 'singularity.unlimited-disk']));

    expect((await run(['where', '--sandbox', 'singularity'])).stdout).toContain('/etc/hosts at /etc/hosts (read-only)');
    expect((await run(['ls'])).stdout).toContain('singularity');
  } finally {
    await run(['rm', '--sandbox', 'singularity', 'default']);
  }
  expect((await run(['ls', '--json'])).stdout).not.toContain('"default"');
});
