import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import singularity from '@petasos/backend-singularity';
import { admitAll, type OpenOptions, open, type Progress, type Sandbox } from '@petasos/core';
import { need, type SlurmCluster, startSlurmCluster } from '@petasos/testbed';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { until } from './until.js';

const { program, asUser, images, user } = await need('apptainer');
const root = join(user.home, '.local/state/petasos/singularity');

let directory: string;
let cluster: SlurmCluster;
const opened: Sandbox[] = [];

// A cluster of its own: what is broken here is nobody else's. Sockets have short paths.
beforeAll(async () => {
  directory = await mkdtemp('/var/tmp/p-slurm-');
  await chmod(directory, 0o711);
  cluster = await startSlurmCluster({ directory });
});

afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.destroy().catch(() => {});
  await until(async () => (await cluster.admin('squeue', ['-h'])).trim() === '', 15_000);
});

afterAll(async () => {
  await cluster?.stop();
  await rm(directory, { recursive: true, force: true });
});

type Slurm = { readonly time?: string; readonly waitMs?: number };

const optionsWith = (slurm: Slurm) => ({
  image: images.sandbox,
  program,
  launcher: [...asUser, 'env', `SLURM_CONF=${cluster.conf}`],
  slurm,
});

async function openHere(slurm: Slurm = {}, more: Partial<OpenOptions> = {}): Promise<Sandbox> {
  const sandbox = await open(singularity, {
    options: optionsWith(slurm),
    gate: admitAll(),
    ...more,
  });
  opened.push(sandbox);
  return sandbox;
}

const jobOf = async (sandbox: Sandbox) => (await readFile(join(root, sandbox.name, 'job'), 'utf8')).trim();

/** Takes every processor, so that whoever comes next waits. */
async function fillNode(): Promise<() => Promise<unknown>> {
  const args = ['--parsable', '--exclusive', '--output=/dev/null', '--chdir=/', '--time=10', '--wrap=sleep 600'];
  const id = (await cluster.admin('sbatch', args)).trim();
  await until(async () => (await cluster.admin('squeue', ['-h', '-j', id, '-o', '%T'])).trim() === 'RUNNING');
  return () => cluster.admin('scancel', [id]);
}

/** Whatever it is, it comes within ten seconds. */
async function soon<T>(work: Promise<T>, ms = 10_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Whoever asks next is told what SLURM says. */
async function endedAs(sandbox: Sandbox, state: string): Promise<void> {
  const refused = await soon(sandbox.placement().catch((error: unknown) => error));
  expect(refused).toMatchObject({ code: 'destroyed', data: { state } });
}

it('a sandbox that waits in the queue says why, and works once it is granted', async () => {
  const release = await fillNode();
  const steps: Progress[] = [];
  const opening = openHere({}, { onProgress: (step) => steps.push(step) });
  await until(() => steps.some(({ step, detail }) => step === 'queue' && /waits in main \(Resources\)/.test(detail ?? '')));
  await release();
  const sandbox = await soon(opening, 20_000);
  expect((await sandbox.exec('echo granted')).stdout).toBe('granted\n');
  const placement = await sandbox.placement();
  expect(placement.machine.name).toBe(cluster.node);
  expect(placement.machine.region).toMatch(/^job \d+ in main: 1 CPUs$/);
  expect(placement.lifetimeLeftMs).toBeGreaterThan(50 * 60_000);
});

it('a wait that is over is an error with SLURM’s reason, and leaves nothing in the queue', async () => {
  const release = await fillNode();
  const refused = await soon(openHere({ waitMs: 1500 }).catch((error: unknown) => error));
  expect(refused).toMatchObject({ code: 'unavailable', retryable: true, data: { reason: 'Resources' } });
  await release();
});

it('an aborted wait leaves nothing in the queue', async () => {
  const release = await fillNode();
  const name = 'aborted-wait';
  const refused = await soon(openHere({}, { name, signal: AbortSignal.timeout(1000) }).catch((error: unknown) => error));
  expect(refused).toMatchObject({ code: 'aborted' });
  await release();
  expect(await readdir(root)).not.toContain(name);
});

it('a request whose client has gone is given back as soon as it is granted', async () => {
  const release = await fillNode();
  const abort = new AbortController();
  const name = 'client-gone';
  const opening = openHere({}, { name, signal: abort.signal }).catch(() => {});
  await until(async () => (await cluster.admin('squeue', ['-h', '-n', `petasos-${name}`, '-o', '%T'])).trim() === 'PENDING');
  const ended = until(async () =>
    /COMPLETED/.test(await cluster.admin('squeue', ['-h', '-t', 'all', '-n', `petasos-${name}`, '-o', '%T'])),
  );
  // As it would be half a minute after the client's last word: each look writes the time anew.
  const silence = setInterval(() => void writeFile(join(root, name, 'waiting'), '0\n').catch(() => {}), 5);
  await release();
  await soon(ended);
  clearInterval(silence);
  abort.abort();
  await opening;
});

it('a command whose allocation is cancelled ends as destroyed, and what comes next says why', async () => {
  const sandbox = await openHere();
  const running = sandbox.exec('echo begun; sleep 100');
  await until(async () => (await sandbox.exec('ps ax 2>/dev/null || cat /proc/*/cmdline')).stdout.includes('sleep'));
  await cluster.admin('scancel', [await jobOf(sandbox)]);
  expect(await soon(running)).toMatchObject({ ended: 'destroyed', exitCode: null, stdout: 'begun\n' });
  await endedAs(sandbox, 'CANCELLED');
});

it('a command that reaches the time limit ends as destroyed', async () => {
  const sandbox = await openHere({ time: '1' });
  expect((await sandbox.placement()).warnings.map(({ id }) => id)).toContain('lifetime.short');
  const running = sandbox.exec('sleep 300');
  const job = await jobOf(sandbox);
  await until(async () => /TIMEOUT|COMPLETING/.test(await cluster.admin('squeue', ['-h', '-t', 'all', '-j', job, '-o', '%T'])), 115_000);
  expect(await soon(running)).toMatchObject({ ended: 'destroyed', exitCode: null });
  await endedAs(sandbox, 'TIMEOUT');
}, 150_000);

it('commands outlive the controller, a request meanwhile is a typed error, and all goes on when it is back', async () => {
  const sandbox = await openHere();
  const running = sandbox.exec('sleep 12; echo survived');
  await sandbox.exec('true');
  await cluster.stopController();
  try {
    const refused = await soon(openHere().catch((error: unknown) => error));
    expect(refused).toMatchObject({ code: 'unavailable', retryable: true });
    expect((await soon(sandbox.exec('echo warm'))).stdout).toBe('warm\n');
    const checked = await singularity.options['~standard'].validate(optionsWith({}));
    if (checked.issues) throw new TypeError('options');
    const listed = await soon(singularity.list(checked.value, { env: process.env, platform: process.platform }));
    expect(listed.find(({ ref }) => ref.id === sandbox.id)?.state).toBe('running');
    expect(await soon(running, 20_000)).toMatchObject({ ended: 'exited', stdout: 'survived\n' });
  } finally {
    await cluster.startController();
  }
  expect((await soon(sandbox.exec('echo again'))).stdout).toBe('again\n');
});

it('a node that is drained lets its commands end, and gives no new sandbox', async () => {
  const sandbox = await openHere();
  await cluster.admin('scontrol', ['update', `nodename=${cluster.node}`, 'state=drain', 'reason=maintenance']);
  try {
    expect((await sandbox.exec('echo still here')).stdout).toBe('still here\n');
    const refused = await soon(openHere({ waitMs: 1500 }).catch((error: unknown) => error));
    expect(refused).toMatchObject({ code: 'unavailable', retryable: true });
    expect(refused).toHaveProperty('data.reason', expect.stringMatching(/DRAIN|ReqNodeNotAvail/i));
  } finally {
    await cluster.admin('scontrol', ['update', `nodename=${cluster.node}`, 'state=resume']);
  }
});

it('a command whose node fails ends as destroyed', async () => {
  const sandbox = await openHere();
  const running = sandbox.exec('sleep 100');
  await sandbox.exec('true');
  await cluster.admin('scontrol', ['update', `nodename=${cluster.node}`, 'state=down', 'reason=broken']);
  try {
    expect(await soon(running)).toMatchObject({ ended: 'destroyed', exitCode: null });
    await endedAs(sandbox, 'NODE_FAIL');
  } finally {
    // A node that answers comes back by itself, and may have.
    await cluster.admin('scontrol', ['update', `nodename=${cluster.node}`, 'state=resume']).catch(() => {});
    await until(async () => (await cluster.admin('sinfo', ['-h', '-o', '%T'])).trim() === 'idle');
  }
});

it('an allocation whose sandbox has been removed by hand ends by itself', async () => {
  const sandbox = await openHere();
  const job = await jobOf(sandbox);
  await rm(join(root, sandbox.name, 'sandbox.json'));
  await soon(until(async () => /COMPLETED|FAILED/.test(await cluster.admin('squeue', ['-h', '-t', 'all', '-j', job, '-o', '%T']))));
});

it('another process attaches to a sandbox in its allocation, and lists it', async () => {
  const sandbox = await openHere({}, { name: 'shared' });
  const again = await openHere({}, { name: 'shared' });
  expect([again.origin, again.id]).toEqual(['attached', sandbox.id]);
  expect((await again.exec('echo second')).stdout).toBe('second\n');
});
