import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import singularity from '@petasos/backend-singularity';
import { admitAll, type OpenOptions, open } from '@petasos/core';
import { commandLines, need } from '@petasos/testbed';
import { expect, it } from 'vitest';
import { programWithoutInstances } from './no-instances.js';
import { until } from './until.js';

const { asUser, images, user } = await need('apptainer');
const { conf } = await need('slurm');
const program = await programWithoutInstances();
const root = join(user.home, '.local/state/petasos/singularity');

const openFrom = (more: Readonly<Record<string, unknown>> = {}, options: Partial<OpenOptions> = {}) =>
  open(singularity, { options: { image: images.sif, program, launcher: asUser, ...more }, gate: admitAll(), ...options });

/** Pid of the container's first process, as the machine sees it. */
const pidOf = async (name: string) => Number((await readFile(join(root, name, 'instance'), 'utf8')).split(' ')[2]);

/** The program at the door of the container whose first process this is. */
async function keeperOf(pid: number): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
  for (const child of children) if ((await readFile(`/proc/${child}/cmdline`, 'utf8')).includes('startscript')) return Number(child);
  throw new Error(`${pid} has no keeper`);
}

/** The end of a command, or the error of one that never began. */
function isDestroyed(end: unknown): boolean {
  const { ended, code } = end as { ended?: string; code?: string };
  return ended === 'destroyed' || code === 'destroyed';
}

async function processesOf(name: string): Promise<readonly string[]> {
  return (await commandLines()).filter((line) => line.includes(`/${name}/`));
}

it.each([
  ['an image file', {}],
  ['a directory, with changes in memory', { image: images.sandbox, persistent: false }],
  ['an image without bash', { image: images.busybox }],
  ['a node that SLURM gives', { launcher: [...asUser, 'env', `SLURM_CONF=${conf}`], slurm: { time: '10' } }],
])('where no instances are allowed, a sandbox from %s works, and all its commands are in one container', async (_, more) => {
  await using sandbox = await openFrom(more, { name: 'no-instances' });
  const again = await openFrom(more, { name: 'no-instances' });
  expect([again.origin, again.id]).toEqual(['attached', sandbox.id]);
  expect((await sandbox.exec('cat; exit 7', { stdin: "it's\n$HOME\n" })).stdout).toBe("it's\n$HOME\n");
  const waiting = sandbox.exec('echo one >~/file; until [ -e ~/other ]; do sleep 0.1; done; cat ~/other');
  await again.exec('until [ -e ~/file ]; do sleep 0.1; done; echo two >~/other');
  expect(await waiting).toMatchObject({ ended: 'exited', exitCode: 0, stdout: 'two\n' });
  const job = await sandbox.jobs.start('sleep 300');
  expect((await again.exec('cat /proc/*/cmdline')).stdout).toContain('300');
  await sandbox.jobs.kill(job.id);
  const { mounts } = await again.placement();
  expect(mounts).toContainEqual({ source: '/etc/hosts', target: '/etc/hosts', access: 'read-only' });
  await again.close();
  await sandbox.destroy();
  expect(await processesOf('no-instances')).toEqual([]);
  expect((await readdir(root)).filter((name) => name.includes('no-instances'))).toEqual([]);
});

it('a command whose container dies ends as destroyed, and the next open starts it again with its files', async () => {
  const sandbox = await openFrom({}, { name: 'no-instances-died' });
  const running = sandbox.exec('echo kept >~/file; echo begun; sleep 100');
  await sandbox.exec('until [ -e ~/file ]; do sleep 0.1; done');
  const began = performance.now();
  process.kill(await pidOf('no-instances-died'), 'SIGKILL');
  expect(await running).toMatchObject({ ended: 'destroyed', exitCode: null, stdout: 'begun\n' });
  expect(performance.now() - began).toBeLessThan(5000);
  await sandbox.close();
  const again = await openFrom({}, { name: 'no-instances-died' });
  expect((await again.exec('cat ~/file')).stdout).toBe('kept\n');
  await again.destroy();
});

it('a command that comes to a container which dies before it answers ends as destroyed, and nothing goes on waiting', async () => {
  const name = 'no-instances-silent';
  const sandbox = await openFrom({}, { name });
  const running = sandbox.exec('sleep 100');
  await sandbox.exec('true');
  const rung = async () => (await readdir(join(root, name, 'door'))).length;
  const before = await rung();
  const pid = await pidOf(name);
  process.kill(await keeperOf(pid), 'SIGSTOP');
  // One of them takes the lane that is there; another one rings.
  const unanswered = [1, 2].map(() => sandbox.exec('sleep 100').catch((error: unknown) => error));
  await until(async () => (await rung()) > before);
  process.kill(pid, 'SIGKILL');
  for (const ended of [running, ...unanswered]) expect(await ended).toSatisfy(isDestroyed);
  await sandbox.destroy();
  expect((await commandLines()).filter((line) => line.includes(name))).toEqual([]);
});

it('it is over when it has been idle', async () => {
  const sandbox = await openFrom({}, { name: 'no-instances-idle', idleLimitMs: 500 });
  await sandbox.exec('true');
  const pid = await pidOf('no-instances-idle');
  await sandbox.close();
  await until(async () => (await readdir('/proc')).includes(String(pid)) === false);
  const again = await openFrom({}, { name: 'no-instances-idle' });
  await again.destroy();
});

it('an image that starts in neither way is a typed error with the reason', async () => {
  const refused = await openFrom({ image: '/etc/hosts' }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'place-failed', message: expect.not.stringContaining('not allowed'), remedy: expect.any(String) });
});
