import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import singularity from '@petasos/backend-singularity';
import { admitAll, type OpenOptions, open } from '@petasos/core';
import { commandLines, need } from '@petasos/testbed';
import { expect, it } from 'vitest';
import { until } from './until.js';

const { program, asUser, images, user } = await need('apptainer');
const root = join(user.home, '.local/state/petasos/singularity');

const openFrom = (more: Readonly<Record<string, unknown>> = {}, options: Partial<OpenOptions> = {}) =>
  open(singularity, { options: { image: images.sif, program, launcher: asUser, ...more }, gate: admitAll(), ...options });

async function processes(text: string): Promise<readonly string[]> {
  return (await commandLines(user.name)).filter((line) => line.includes(text));
}

/** Pid of the instance's first process, as the machine sees it. */
const pidOf = async (name: string) => Number((await readFile(join(root, name, 'instance'), 'utf8')).split(' ')[2]);

it('what is destroyed leaves no process, mount, instance, record or file on the machine', async () => {
  const sandbox = await openFrom({}, { name: 'traceless' });
  await sandbox.exec('mkdir -p deep/er && touch deep/er/file && chmod 0 deep/er && rm -rf /usr/share/doc; (setsid sleep 300 &)');
  const instance = `petasos-${sandbox.id}`;
  expect(await processes(instance)).not.toEqual([]);
  await sandbox.destroy();
  expect(await processes(instance)).toEqual([]);
  expect((await readdir(root)).filter((name) => name.includes('traceless'))).toEqual([]);
  expect(await readFile('/proc/mounts', 'utf8')).not.toContain(instance);
  const { stdout } = await promisify(execFile)('find', [join(user.home, '.apptainer/instances'), '-name', `${instance}*`]);
  expect(stdout).toBe('');
});

it('an instance that died with its machine is seen as stopped, and starts again with its files', async () => {
  const first = await openFrom({}, { name: 'crashed' });
  await first.exec('echo kept >file; echo changed >/changed');
  await first.close();
  process.kill(await pidOf('crashed'), 'SIGKILL');
  // As after a reboot: a process of that number may be anybody's.
  const [host, , , started, parent] = (await readFile(join(root, 'crashed/instance'), 'utf8')).trim().split(' ');
  await writeFile(join(root, 'crashed/instance'), `${host} another-boot ${process.pid} ${started} ${parent}\n`);
  const again = await openFrom({}, { name: 'crashed' });
  expect([again.origin, again.id]).toEqual(['attached', first.id]);
  expect((await again.exec('cat file /changed')).stdout).toBe('kept\nchanged\n');
  await again.destroy();
});

it('a sandbox that another host runs is listed, and using it names that host', async () => {
  const sandbox = await openFrom({}, { name: 'elsewhere' });
  const file = join(root, 'elsewhere/instance');
  const here = await readFile(file, 'utf8');
  await writeFile(file, here.replace(/^\S+/, 'login7'));
  const refused = await openFrom({}, { name: 'elsewhere' }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'unavailable', data: { host: 'login7' } });
  await expect(sandbox.destroy()).rejects.toMatchObject({ code: 'unavailable' });
  await writeFile(file, here);
  await (await openFrom({}, { name: 'elsewhere' })).destroy();
});

it('a directory with a bare root file system is an image, and the workdir need not be in it', async () => {
  const sandbox = await openFrom({ image: images.sandbox, workdir: '/work/project' });
  expect((await sandbox.exec('pwd')).stdout).toBe('/work/project\n');
  await sandbox.destroy();
});

it('the home directory of the machine is there when asked for, and otherwise is not', async () => {
  const file = join(user.home, 'of-the-machine');
  await writeFile(file, 'here\n', { mode: 0o644 });
  const without = await openFrom();
  expect((await without.exec('ls ~')).stdout).toBe('');
  await without.destroy();
  const withHome = await openFrom({ home: true });
  expect((await withHome.exec('cat ~/of-the-machine')).stdout).toBe('here\n');
  const { mounts, warnings } = await withHome.placement();
  expect(mounts).toContainEqual({ source: user.home, target: user.home, access: 'read-write' });
  expect(warnings.map(({ id }) => id)).not.toContain('singularity.site-binds');
  await withHome.destroy();
  await rm(file);
});

it('variables of whoever opens it reach no command, nor do binds and registry credentials', async () => {
  const hostEnv = {
    ...process.env,
    APPTAINER_BIND: '/etc:/stolen',
    APPTAINERENV_LEAK: 'leaked',
    APPTAINER_DOCKER_PASSWORD: 'secret-password',
  };
  // Without the word that clears it: the environment is the one that this backend gives.
  const launcher = asUser.filter((word) => word !== '-i');
  const sandbox = await openFrom({ launcher }, { hostEnv });
  const { stdout } = await sandbox.exec('env; ls -d /stolen 2>/dev/null');
  expect(stdout).not.toMatch(/leaked|secret-password|stolen/);
  await sandbox.destroy();
});

it('a sandbox that keeps nothing is over when it has been idle, and its name is free', async () => {
  const first = await openFrom({ persistent: false }, { name: 'idle', idleLimitMs: 500 });
  await first.exec('true');
  await first.close();
  const options = { image: images.sif, program, launcher: asUser, persistent: false };
  const checked = await singularity.options['~standard'].validate(options);
  if (checked.issues) throw new TypeError('options');
  const host = { env: process.env, platform: process.platform };
  await until(async () => (await singularity.find?.(checked.value, 'idle', host)) === undefined);
  const second = await openFrom({ persistent: false }, { name: 'idle' });
  expect([second.origin, second.id === first.id]).toEqual(['created', false]);
  await second.destroy();
});
