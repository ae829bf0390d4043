import type { PetasosError, SandboxState } from '@petasos/core/backend';
import { failure } from '../errors.js';
import { runScript } from '../machine/machine.js';
import type { Site } from '../site.js';

/** One job, as the queue shows it. */
export interface Job {
  readonly id: string;
  /** SLURM's word, such as `PENDING`, `RUNNING`, `CANCELLED`, `TIMEOUT`, `NODE_FAIL`, `PREEMPTED`. */
  readonly state: string;
  /** Why it waits or has ended. */
  readonly reason: string;
  readonly leftMs: number | null;
  /** When it started, or is expected to, in the cluster's own words. */
  readonly start: string;
  readonly node: string;
  readonly partition: string;
}

/** Sorted, since the rest of a line may hold anything. */
export const queueFormat = '%A|%T|%L|%S|%N|%P|%r';

/**
 * The user's jobs by id, those that ended a short while ago included; undefined when the controller does not answer. A list, because the
 * status of a question about one job does not tell a job that is gone from a controller that is.
 */
export async function readQueue(site: Site, timeoutMs: number): Promise<ReadonlyMap<string, Job> | undefined> {
  const words = ['squeue', '--noheader', '--states=all', `--user=${site.user.uid}`, `--format=${queueFormat}`];
  const { exitCode, stdout } = await site.machine.run(words, { timeoutMs });
  if (exitCode !== 0) return undefined;
  const jobs = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map(parseJob);
  return new Map(jobs.map((job) => [job.id, job]));
}

export function parseJob(line: string): Job {
  const [id = '', state = '', left = '', start = '', node = '', partition = '', ...reason] = line.split('|');
  return { id, state, reason: reason.join('|'), leftMs: parseDuration(left), start, node, partition };
}

/** Milliseconds of `D-HH:MM:SS`, `HH:MM:SS` or `MM:SS`; null for what is no time, such as `UNLIMITED`. */
export function parseDuration(text: string): number | null {
  const match = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)$/.exec(text);
  if (!match) return null;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  return (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

const waiting = new Set(['PENDING', 'CONFIGURING', 'REQUEUED', 'REQUEUE_HOLD', 'REQUEUE_FED', 'RESV_DEL_HOLD', 'SPECIAL_EXIT']);

export function isWaiting(job: Job | undefined): boolean {
  return job !== undefined && waiting.has(job.state);
}

/** What a job's state means for its sandbox. */
export function stateOf(job: Job | undefined): SandboxState {
  if (job === undefined) return 'gone';
  if (job.state === 'RUNNING' || isWaiting(job)) return 'running';
  return job.state === 'SUSPENDED' || job.state === 'STOPPED' ? 'paused' : 'gone';
}

/** Why a job is over, in SLURM's words. */
export function endOf(job: Job | undefined, id: string): string {
  if (job === undefined) return `SLURM knows the job ${id} no more`;
  const reason = job.reason === '' || job.reason === 'None' ? '' : ` (${job.reason})`;
  return `SLURM says that the job ${id} is ${job.state}${reason}`;
}

/** Seconds since the node's last word in the sandbox's directory; undefined when it has not said any. */
export async function silenceOf(site: Site, directory: string): Promise<number | undefined> {
  const script = 'read -r then <"$1/alive" && echo $(($(date +%s) - then))';
  const { exitCode, stdout } = await runScript(site.machine, script, [directory], { timeoutMs: 2_000 });
  return exitCode === 0 ? Number(stdout) : undefined;
}

export function silent(operation: string): PetasosError {
  return failure('unavailable', "SLURM's controller does not answer", {
    operation,
    retryable: true,
    remedy: 'Try again shortly; scontrol ping tells whether it is up.',
  });
}
