import { setTimeout as delay } from 'node:timers/promises';
import { destroyed, failure } from '../errors.js';
import { reasonIn } from '../image.js';
import { startArguments } from '../instance.js';
import { runScript } from '../machine/machine.js';
import { shellWords } from '../machine/quote.js';
import { instanceName, type SandboxRecord } from '../records.js';
import type { StartContext } from '../runtime.js';
import { directoryOf, lastLine, type Site } from '../site.js';
import { jobComment } from './job-reference.js';
import { requestArguments } from './options.js';
import { endOf, isWaiting, type Job, readQueue, silent, stateOf } from './queue.js';
import { batch, submit, wait } from './scripts.js';

/** How long a controller may take to answer somebody who has not asked it for anything yet. */
const answerMs = 6_000;
const firstPauseMs = 100;
const longestPauseMs = 2_000;
/** How long a controller may be silent while one waits for an allocation. */
const patienceMs = 120_000;

/**
 * Asks SLURM for a node, unless the sandbox has one or is in the queue, and waits until its instance runs there.
 * @throws `place-failed`, `unavailable` with SLURM's reason when `waitMs` is over, `aborted`, `destroyed`.
 */
export async function allocate(site: Site, record: SandboxRecord, context: StartContext): Promise<void> {
  const job = await request(site, record);
  try {
    await granted(site, record, job, context);
  } catch (error) {
    // What nobody waits for any more must not be granted later.
    await site.machine.run(['scancel', job], { timeoutMs: 10_000 });
    throw error;
  }
}

async function request(site: Site, record: SandboxRecord): Promise<string> {
  const { slurm } = record;
  if (slurm === undefined) throw failure('internal', 'a sandbox without a request');
  const directory = directoryOf(site, record.name);
  // Its programs would ask a silent controller again and again.
  if ((await readQueue(site, answerMs)) === undefined) throw silent('open');
  const args = [
    ...[`--job-name=petasos-${record.name}`, `--comment=${jobComment(record)}`, '--no-requeue'],
    ...['--output=/dev/null', '--chdir=/', ...requestArguments(slurm)],
  ];
  const words = shellWords([directory, site.program, instanceName(record), ...startArguments(site, record)]);
  const script = `#!/bin/sh\nset -- ${words}\n${batch}`;
  const { exitCode, stdout, stderr } = await runScript(site.machine, submit, [directory, ...args], { input: script, timeoutMs: 60_000 });
  if (exitCode === 0) return stdout.trim();
  if (exitCode === 6) throw destroyed(record);
  throw failure('place-failed', `SLURM takes no request for ${record.name}: ${lastLine(stderr) || 'it gave no reason'}`, {
    operation: 'open',
    remedy: 'Correct the slurm options: sinfo lists partitions and their limits, sacctmgr your accounts.',
  });
}

async function granted(site: Site, record: SandboxRecord, id: string, context: StartContext): Promise<void> {
  const directory = directoryOf(site, record.name);
  const began = performance.now();
  let answered = began;
  let told = '';
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
    const { exitCode, stdout } = await runScript(site.machine, wait, [directory], { timeoutMs: 10_000 });
    if (context.signal?.aborted) throw failure('aborted', `waiting for SLURM was aborted`, { operation: 'open' });
    if (exitCode === 6) throw destroyed(record);
    if (stdout.startsWith('ready')) return;
    if (stdout.startsWith('failed')) throw startFailure(record, stdout.slice('failed'.length));
    const jobs = await readQueue(site, 10_000);
    const job = jobs?.get(id);
    if (jobs !== undefined) {
      answered = performance.now();
      if (stateOf(job) === 'gone') throw refused(record, job, id);
      const now = describeWait(job);
      if (now !== told) context.onProgress?.({ step: 'queue', detail: now });
      told = now;
    } else if (performance.now() - answered > patienceMs) {
      throw failure('unavailable', "SLURM's controller does not answer", {
        operation: 'open',
        retryable: true,
        remedy: 'Try again later.',
      });
    }
    const limit = record.slurm?.waitMs;
    if (limit !== undefined && isWaiting(job) && performance.now() - began >= limit) throw stillWaiting(record, job, limit);
    await delay(pause, undefined, context.signal && { signal: context.signal }).catch(() => {});
  }
}

function describeWait(job: Job | undefined): string {
  if (!isWaiting(job) || job === undefined) return `the job ${job?.id} runs on ${job?.node}; the container starts`;
  const expected = /^\d/.test(job.start) ? `, expected to start at ${job.start}` : '';
  return `the job ${job.id} waits in ${job.partition} (${job.reason})${expected}`;
}

function stillWaiting(record: SandboxRecord, job: Job | undefined, limitMs: number): Error {
  return failure('unavailable', `SLURM has not given ${record.name} a node within ${limitMs} ms: ${job?.reason}`, {
    operation: 'open',
    retryable: true,
    data: { reason: job?.reason ?? '', state: job?.state ?? '' },
    remedy: 'Wait longer (slurm.waitMs), ask for less, or choose another partition.',
  });
}

function refused(record: SandboxRecord, job: Job | undefined, id: string): Error {
  return failure('place-failed', `the allocation of ${record.name} ended before its container ran: ${endOf(job, id)}`, {
    operation: 'open',
    data: { job: id, state: job?.state ?? 'UNKNOWN', reason: job?.reason ?? '' },
    remedy: 'scontrol show job tells more for a few minutes; then open again.',
  });
}

function startFailure(record: SandboxRecord, said: string): Error {
  return failure('place-failed', `the container of ${record.name} does not start on the node from ${record.imageName}: ${reasonIn(said)}`, {
    operation: 'open',
    remedy: 'Check that the nodes have the container program, and see the image and the state directory at the same paths.',
  });
}
