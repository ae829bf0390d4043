import type { SandboxRef } from '@petasos/core/backend';
import { failure } from '../errors.js';
import { findRecord, refOf, type SandboxRecord } from '../records.js';
import type { Site } from '../site.js';
import { endOf, parseJob, queueFormat, readQueue, silent, stateOf } from './queue.js';

const answerMs = 6_000;

/** Written into each job, so that a job tells whose it is. */
export function jobComment({ name, id }: Pick<SandboxRecord, 'name' | 'id'>): string {
  return `petasos:${name}:${id}`;
}

const ours = /^petasos:([^:]+):([0-9a-f]+)$/;

/** Whether a name is one that SLURM has given. With SLURM no sandbox can be made under such a name: it stands for the job. */
export function isJobId(name: string): boolean {
  return /^\d+$/.test(name);
}

/**
 * The sandbox whose allocation is this job.
 * @throws `sandbox-not-found` for a job that is not of a sandbox of this user, or is over, saying which; `unavailable`.
 */
export async function sandboxOfJob(site: Site, job: string): Promise<SandboxRef> {
  const { uid, comment, ...seen } = await look(site, job);
  if (uid !== String(site.user.uid)) throw refused(job, `is another user's`, otherJob);
  const [, name, id] = ours.exec(comment) ?? [];
  if (name === undefined || id === undefined) throw refused(job, 'is not of a sandbox of Petasos', otherJob);
  const found = await findRecord(site, name);
  if (found?.record.id !== id) {
    throw refused(job, `is of the sandbox ${name}, which has no record in ${site.root}`, {
      remedy: 'Set stateDirectory to the directory that the sandbox was opened with.',
    });
  }
  if (stateOf(seen) === 'gone' || found.job !== job) {
    throw refused(job, `of the sandbox ${name} is over: ${endOf(seen, job)}`, {
      remedy: `Open the sandbox by its name, ${name}: it has another job, or is given one.`,
    });
  }
  return refOf(found.record);
}

async function look(site: Site, id: string) {
  const words = ['squeue', '--noheader', '--states=all', `--jobs=${id}`, `--format=%U|%k\n${queueFormat}`];
  const { exitCode, stdout } = await site.machine.run(words, { timeoutMs: answerMs });
  const [first = '', second = ''] = stdout.split('\n');
  if (exitCode === 0 && second !== '') {
    const [uid = '', ...comment] = first.split('|');
    return { uid, comment: comment.join('|'), ...parseJob(second) };
  }
  // The status tells a job that is gone not from a controller that is.
  if ((await readQueue(site, answerMs)) === undefined) throw silent('attach');
  throw refused(id, 'is not known to SLURM', {
    remedy: 'petasos ls lists the sandboxes. A new one needs a name that is more than a number: a number is a job.',
  });
}

const otherJob = { remedy: 'squeue --me lists your jobs; those of sandboxes are named petasos-NAME.' };

function refused(job: string, why: string, { remedy }: { readonly remedy: string }): Error {
  return failure('sandbox-not-found', `the job ${job} ${why}`, { operation: 'attach', remedy, data: { job } });
}
