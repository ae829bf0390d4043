import singularity from '@petasos/backend-singularity';
import { admitAll, open } from '@petasos/core';
import { need } from '@petasos/testbed';
import { expect, it } from 'vitest';

const { program, images } = await need('apptainer');
const { servers, users, keys } = await need('sshd');
const { conf, node } = await need('slurm');

/** From here to a login node; the container program lies where that user's PATH does not lead. */
const ssh = {
  host: servers.main.host,
  port: servers.main.port,
  user: users.bash.name,
  key: keys.plain,
  agent: false,
  configFile: false,
  hostKeys: 'off',
  knownHosts: ['/dev/null'],
};
const path = `PATH=${program.replace(/\/[^/]+$/, '')}:/usr/bin:/bin:/usr/sbin:/sbin`;

it.each([
  ['a login node', {}],
  ['a node that SLURM gives, by way of a login node', { slurm: { time: '10' } }],
])('a sandbox on %s works, and another client finds it there', async (_, more) => {
  const options = { image: images.sif, ssh, launcher: ['env', path, `SLURM_CONF=${conf}`], ...more };
  await using sandbox = await open(singularity, { name: 'far', options, gate: admitAll() });
  const { stdout } = await sandbox.exec('id -un; cat', { stdin: "it's\n$HOME\n" });
  expect(stdout).toBe(`${users.bash.name}\nit's\n$HOME\n`);
  expect(await sandbox.placement()).toMatchObject({ machine: { name: node }, user: { name: users.bash.name }, isolation: 'container' });
  const again = await open(singularity, { name: 'far', options, gate: admitAll() });
  expect([again.origin, again.id]).toEqual(['attached', sandbox.id]);
  await again.close();
  const job = await sandbox.jobs.start('echo done');
  expect((await sandbox.jobs.wait(job.id)).exitCode).toBe(0);
  await sandbox.destroy();
  await expect(sandbox.exec('true')).rejects.toMatchObject({ code: 'destroyed' });
});
