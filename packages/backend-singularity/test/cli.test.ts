import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Placement } from '@petasos/core';
import { need, type PetasosUser, petasosUser } from '@petasos/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';

const { program, asUser, images, user } = await need('apptainer');
const { conf, node } = await need('slurm');

const backend = fileURLToPath(new URL('..', import.meta.url));

let me: PetasosUser;
let shared: string;

beforeAll(async () => {
  me = await petasosUser();
  // The container's user is another one.
  await chmod(me.home, 0o711);
  shared = join(me.home, 'shared');
  await mkdir(shared);
});

afterAll(() => me.remove());

function configure(more: object): Promise<void> {
  const options = { program, launcher: [...asUser, 'env', `SLURM_CONF=${conf}`], binds: [`${shared}:/data:ro`], ...more };
  return me.configure({
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
  });
}

it.each([
  ['this machine', {}],
  ['a node that SLURM gives', { slurm: { time: '10' } }],
])('petasos runs a command in a container on %s, and tells what it sees', async (_, more) => {
  await configure(more);
  try {
    const ran = await me.run(['run', '--sandbox', 'singularity', '--', 'cat; id -un; exit 7'], 'input\n');
    expect(ran).toMatchObject({ status: 7, stdout: `input\n${user.name}\n` });

    const where = await me.run(['where', '--sandbox', 'singularity', '--json']);
    const placement = JSON.parse(where.stdout) as Placement;
    expect(placement).toMatchObject({ backend: 'singularity', isolation: 'container', machine: { name: node, image: images.sif } });
    // What was asked for, and what the site binds on its own.
    expect(placement.mounts).toContainEqual({ source: shared, target: '/data', access: 'read-only' });
    expect(placement.mounts).toContainEqual({ source: '/etc/hosts', target: '/etc/hosts', access: 'read-only' });
    expect(placement.warnings.map(({ id }) => id)).toEqual(expect.arrayContaining(['singularity.unlimited', 'singularity.unlimited-disk']));

    const [, job] = /^job (\d+) /.exec(placement.machine.region ?? '') ?? [];
    expect(job !== undefined).toBe('slurm' in more);
    if (job !== undefined) {
      const byJob = await me.run(['where', '--sandbox', 'singularity', '--name', job, '--json']);
      expect(JSON.parse(byJob.stdout)).toMatchObject({ origin: 'attached', machine: placement.machine });
    }

    expect((await me.run(['where', '--sandbox', 'singularity'])).stdout).toContain('/etc/hosts at /etc/hosts (read-only)');
    expect((await me.run(['ls'])).stdout).toContain('singularity');
  } finally {
    await me.run(['rm', '--sandbox', 'singularity', 'default']);
  }
  expect((await me.run(['ls', '--json'])).stdout).not.toContain('"default"');
});
