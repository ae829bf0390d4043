import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import singularity from '@petasos/backend-singularity';
import { admitAll, open, type Sandbox } from '@petasos/core';
import { need } from '@petasos/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from './until.js';

const { program, asUser, images, user } = await need('apptainer');
const { conf } = await need('slurm');
const root = join(user.home, '.local/state/petasos/singularity');

const options = { image: images.sandbox, program, launcher: [...asUser, 'env', `SLURM_CONF=${conf}`], slurm: { time: '10' } };
const openHere = (name: string) => open(singularity, { name, options, gate: admitAll() });

async function scheduler(words: readonly string[], as: readonly string[] = asUser): Promise<string> {
  const [head = 'env', ...rest] = [...as, 'env', `SLURM_CONF=${conf}`, ...words];
  return (await promisify(execFile)(head, rest)).stdout.trim();
}

const submit = (words: readonly string[], as?: readonly string[]) =>
  scheduler(['sbatch', '--parsable', '--output=/dev/null', '--chdir=/', '--hold', ...words, '--wrap=true'], as);

let sandbox: Sandbox;
let job: string;

beforeAll(async () => {
  sandbox = await openHere('by-job');
  job = (await readFile(join(root, 'by-job/job'), 'utf8')).trim();
});

afterAll(() => sandbox.destroy());

it('the id of a job leads to the sandbox that has it', async () => {
  const again = await openHere(job);
  expect([again.origin, again.id, again.name]).toEqual(['attached', sandbox.id, 'by-job']);
  expect((await again.exec('echo joined')).stdout).toBe('joined\n');
  await again.close();
});

it.each([
  ['that is not of a sandbox', 'is not of a sandbox', () => submit([])],
  ['of another user', 'another user', () => submit(['--comment=petasos:by-job:0123'], [])],
  ['whose sandbox is not recorded here', 'no record in', () => submit(['--comment=petasos:by-job:0123'])],
])('a job %s is refused, and no sandbox is made for it', async (_, why, make) => {
  const other = await make();
  try {
    expect(await refusal(other)).toMatchObject({ code: 'sandbox-not-found', message: expect.stringContaining(why), data: { job: other } });
  } finally {
    await scheduler(['scancel', other], []);
  }
});

it('a number that is no job is refused, also as the name of a new sandbox', async () => {
  expect(await refusal('1')).toMatchObject({ code: 'sandbox-not-found', message: 'the job 1 is not known to SLURM' });
});

it('a job that is over leads to no new one, and its refusal names the sandbox', async () => {
  const own = await openHere('over-job');
  const id = (await readFile(join(root, 'over-job/job'), 'utf8')).trim();
  await scheduler(['scancel', id]);
  await until(async () => (await scheduler(['squeue', '-h', '-t', 'all', '-j', id, '-o', '%T'])) === 'CANCELLED');
  expect(await refusal(id)).toMatchObject({
    message: expect.stringContaining('over-job is over'),
    remedy: expect.stringContaining('over-job'),
  });
  await own.destroy();
});

it('a sandbox whose name is a number goes before a job of that number', async () => {
  const record = await readFile(join(root, 'by-job/sandbox.json'), 'utf8');
  await mkdir(join(root, job));
  await writeFile(join(root, job, 'sandbox.json'), record.replaceAll(sandbox.id, 'abc'));
  const host = { env: process.env, platform: process.platform };
  const checked = await singularity.options['~standard'].validate(options);
  if (checked.issues) throw new TypeError('options');
  try {
    expect(await singularity.find?.(checked.value, job, host)).toMatchObject({ id: 'abc' });
  } finally {
    await rm(join(root, job), { recursive: true });
  }
});

/** Refusals only: whatever were made instead is removed and fails the test. */
async function refusal(name: string): Promise<unknown> {
  const made = await openHere(name).catch((error: unknown) => error);
  if (made instanceof Error) return made;
  await (made as Sandbox).destroy();
  throw new TypeError(`the name ${name} made a sandbox`);
}
