import { execFile } from 'node:child_process';
import { appendFile, copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import singularity from '@petasos/backend-singularity';
import { admitAll, open } from '@petasos/core';
import { need } from '@petasos/testbed';
import { afterEach, beforeEach, expect, it } from 'vitest';

const { program, asUser, images, user } = await need('apptainer');

let folder: string;
let cache: string;
let archive: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petasos-images-'));
  cache = join(folder, 'cache');
  archive = join(folder, 'image.tar');
  await mkdir(join(folder, 'tmp'));
  await copyFile(images.dockerArchive, archive);
  await promisify(execFile)('chown', ['-R', user.name, folder]);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const optionsFor = (image: string, variables: Readonly<Record<string, string>> = {}) => {
  const all = { APPTAINER_CACHEDIR: cache, APPTAINER_TMPDIR: join(folder, 'tmp'), ...variables };
  return { image, program, launcher: [...asUser, 'env', ...Object.entries(all).map(([name, value]) => `${name}=${value}`)] };
};

const kept = async () => (await readdir(join(cache, 'petasos'))).filter((name) => name.endsWith('.sif'));

it('an image that is fetched is built once for all who open at once, and again when its file has changed', async () => {
  const steps: string[] = [];
  const openOne = () =>
    open(singularity, {
      options: optionsFor(`docker-archive:${archive}`),
      gate: admitAll(),
      onProgress: ({ step }) => steps.push(step),
    });
  const sandboxes = await Promise.all([openOne(), openOne(), openOne()]);
  for (const sandbox of sandboxes) {
    expect((await sandbox.exec('busybox | head -n 1')).stdout).toMatch(/^BusyBox/);
    await sandbox.destroy();
  }
  expect(steps).toContain('image');
  // One file and nothing beside it: no other, no half one, no lock.
  expect(await readdir(join(cache, 'petasos'))).toEqual(await kept());
  expect(await kept()).toHaveLength(1);
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);

  steps.length = 0;
  await (await openOne()).destroy();
  expect(steps).toEqual([]);

  await appendFile(archive, Buffer.alloc(512));
  await (await openOne()).destroy();
  expect(await kept()).toHaveLength(2);
});

it('an aborted fetch leaves neither half an image nor its working files', async () => {
  const fetching = new AbortController();
  const refused = await open(singularity, {
    options: optionsFor(`docker-archive:${archive}`),
    gate: admitAll(),
    signal: fetching.signal,
    onProgress: ({ step }) => {
      if (step === 'image') fetching.abort();
    },
  }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'aborted' });
  expect(await kept().catch(() => [])).toEqual([]);
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
});

it.each([
  ['docker-archive:/there/is/none.tar', 'place-failed'],
  ['/there/is/none.sif', 'place-failed'],
  ['no-address', 'invalid-options'],
])('the image %s is the error %s, and leaves no sandbox', async (image, code) => {
  const options = optionsFor(image);
  const refused = await open(singularity, { name: 'no-image', options, gate: admitAll() }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code, backend: 'singularity', remedy: expect.any(String) });
  const listed = await singularity.list({ ...defaults, ...options }, { env: process.env, platform: process.platform });
  expect(listed.map(({ ref }) => ref.name)).not.toContain('no-image');
});

const defaults = await validated({ image: images.sif });

async function validated(options: unknown) {
  const result = await singularity.options['~standard'].validate(options);
  if (result.issues) throw new TypeError(JSON.stringify(result.issues));
  return result.value;
}
