import type { JobInfo, JobStartOptions, Jobs, Shell, ShellOptions } from '../sandbox/types.js';
import { each } from './parallel.js';
import type { Context } from './scenario.js';

/** A session that nobody else has; closed afterwards, so that the shared sandbox is left as it was found. */
export async function withShell(
  context: Pick<Context, 'sandbox' | 'marker'>,
  work: (shell: Shell) => Promise<void>,
  options?: ShellOptions,
): Promise<void> {
  const shell = context.sandbox.shell(context.marker(), options);
  try {
    await work(shell);
  } finally {
    await shell.close();
  }
}

/** Starts jobs that are ended and removed afterwards, so that the shared sandbox is left as it was found. */
export async function withJobs(
  { sandbox: { jobs } }: Pick<Context, 'sandbox'>,
  work: (start: (command: string, options?: JobStartOptions) => Promise<JobInfo>, jobs: Jobs) => Promise<void>,
): Promise<void> {
  const started: string[] = [];
  try {
    await work(async (command, options) => {
      const job = await jobs.start(command, options);
      started.push(job.id);
      return job;
    }, jobs);
  } finally {
    const known = started.length === 0 ? [] : await jobs.list();
    await each(
      known.filter((job) => started.includes(job.id)),
      (job) => discardJob(jobs, job),
    );
  }
}

async function discardJob(jobs: Jobs, { id, state }: JobInfo): Promise<void> {
  if (state === 'running') {
    await jobs.kill(id, 'SIGKILL');
    await jobs.wait(id, { timeoutMs: 5000 });
  }
  await jobs.remove(id);
}
