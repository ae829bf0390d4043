import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import singularity from '@petasos/backend-singularity';
import { admitAll, type OpenOptions, open } from '@petasos/core';
import { commandLines, need } from '@petasos/testbed';
import { expect, it } from 'vitest';
import { until } from './until.js';

const { program, asUser, images, user } = await need('apptainer');
const root = join(user.home, '.local/state/petasos/singularity');

const given = { image: images.sif, program, launcher: asUser, overlayMiB: 64, diskMiB: 64 };
const openFrom = (more: Readonly<Record<string, unknown>> = {}, options: Partial<OpenOptions> = {}) =>
  open(singularity, { options: { ...given, ...more }, gate: admitAll(), ...options });

async function isRunning(text: string): Promise<boolean> {
  return (await commandLines()).some((line) => line.includes(text));
}

it('what commands write has a bound, wherever they write it, and room that they make is there again', async () => {
  await using sandbox = await openFrom();
  for (const directory of ['"$HOME"', '/tmp', '/var/tmp', '/']) {
    expect((await sandbox.exec(`cd ${directory} && stat -c %d . /`)).stdout).toMatch(/^(\d+)\n\1\n$/);
    expect(await sandbox.exec(`cd ${directory} && head -c 40M /dev/urandom >big`)).toMatchObject({ exitCode: 0 });
    const fill = await sandbox.exec(`cd ${directory} && dd if=/dev/zero of=bigger bs=1M count=40`);
    expect(fill.exitCode).not.toBe(0);
    expect(fill.stderr).toContain('No space left on device');
    // Where nothing is left, even a removal finds no room.
    expect(await sandbox.exec(`cd ${directory} && : >big && rm big bigger`)).toMatchObject({ exitCode: 0 });
  }
  await sandbox.files.write('more', 'fits');
  expect(await sandbox.files.readText('more')).toBe('fits');
  const { warnings } = await sandbox.placement();
  expect(warnings.map(({ id }) => id)).not.toContain('singularity.unlimited-disk');
  await sandbox.destroy();
  expect(await readdir(root)).not.toContain(sandbox.name);
  expect(await isRunning(sandbox.name)).toBe(false);
});

it('it keeps files when its container dies and starts again', async () => {
  const sandbox = await openFrom({}, { name: 'bounded-died' });
  await sandbox.exec('echo home >file; echo root >/changed; sync; sleep 0.1');
  const [, , pid, , holder] = (await readFile(join(root, 'bounded-died/instance'), 'utf8')).trim().split(' ');
  await sandbox.close();
  // It takes its time to put the mounts away.
  process.kill(Number(holder), 'SIGSTOP');
  process.kill(Number(pid), 'SIGKILL');
  const opening = openFrom({}, { name: 'bounded-died' });
  await until(() => isRunning(`${join(root, 'bounded-died')} ${program}`));
  process.kill(Number(holder), 'SIGCONT');
  const again = await opening;
  expect(again.id).toBe(sandbox.id);
  expect((await again.exec('cat file /changed')).stdout).toBe('home\nroot\n');
  const [, , , , parent, way] = (await readFile(join(root, 'bounded-died/instance'), 'utf8')).trim().split(' ');
  expect([parent === holder, way]).toEqual([false, 'instance']);
  await again.destroy();
});

it('a snapshot has what was written until then, without temporary files, and another size is refused', async () => {
  const sandbox = await openFrom({}, { name: 'bounded-origin' });
  await sandbox.exec(
    'echo then >file; echo root >/changed; echo temporary >/tmp/passing; head -c 20M /dev/urandom >data; sha256sum data >sum',
  );
  await sandbox.jobs.start('{ echo held; sleep 300; } >held');
  await sandbox.exec('until [ -s held ]; do sleep 0.05; done');
  const from = await sandbox.snapshot();
  try {
    await sandbox.exec('echo later >file');
    const restored = await openFrom({}, { from });
    expect((await restored.exec('cat file /changed; sha256sum -c sum; cat held; ls /tmp')).stdout).toMatch(
      /^then\nroot\ndata: OK\nheld\n(?!.*passing)/s,
    );
    await restored.exec('echo elsewhere >file');
    expect((await sandbox.exec('cat file')).stdout).toBe('later\n');
    await restored.destroy();
    for (const overlayMiB of [0, 128]) {
      const refused = await openFrom({ overlayMiB }, { from, name: 'bounded-other' }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'invalid-options', remedy: 'Open it with overlayMiB 64.' });
    }
    expect((await readdir(root)).filter((name) => name.includes('bounded-other'))).toEqual([]);
  } finally {
    await rm(join(root, '.snapshots', from), { recursive: true });
    await sandbox.destroy();
  }
});

it('where a program for it is missing, the check and the open say which', async () => {
  const path = await mkdtemp(join(tmpdir(), 'petasos-path-'));
  try {
    await promisify(execFile)('chmod', ['755', path]);
    const programs = (await readdir('/usr/bin')).filter((name) => name !== 'fuse2fs');
    await Promise.all(programs.map((name) => symlink(join('/usr/bin', name), join(path, name))));
    const options = { ...given, launcher: [...asUser, 'env', `PATH=${path}`] };
    const checked = await singularity.options['~standard'].validate(options);
    if (checked.issues) throw new TypeError('options');
    const findings = await singularity.check(checked.value, { env: process.env, platform: process.platform });
    expect(findings.find(({ id }) => id === 'singularity.overlay')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('fuse2fs is not installed'),
      remedy: expect.stringContaining('fuse2fs'),
    });
    const refused = await openFrom(options, { name: 'bounded-not' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'unavailable', message: expect.stringContaining('fuse2fs is not installed') });
    expect(await readdir(root)).not.toContain('bounded-not');
  } finally {
    await rm(path, { recursive: true });
  }
});

it.each([
  ['smaller than the container program makes', { overlayMiB: 10 }],
  ['that is not kept', { overlayMiB: 64, persistent: false }],
])('an overlay of a size %s is refused', async (_, more) => {
  await expect(openFrom(more)).rejects.toMatchObject({ code: 'invalid-options', message: expect.stringContaining('overlayMiB') });
});
