import { constants } from 'node:os';
import type { CommandSignal, JobInfo, Sandbox } from '@petasos/core';
import { defineCommand, defineGroup, jsonOption, nameOption } from '../args/command.js';
import { parseDuration } from '../args/duration.js';
import type { Context } from '../session/context.js';
import { openExisting, requireExisting } from '../session/existing-sandbox.js';
import { followOutput } from '../session/job-output.js';
import { defaultName, resolveTarget } from '../session/open-sandbox.js';
import { signalStatus } from '../session/signals.js';
import { CliError, UsageError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { formatAge, formatDuration } from '../ui/format.js';
import { writeJson } from '../ui/json.js';
import { table } from '../ui/table.js';
import { oneLine } from '../ui/text.js';

const ls = defineCommand({
  name: 'ls',
  summary: 'List the jobs of a sandbox',
  usage: '[options]',
  options: { name: nameOption, json: jsonOption },
  words: [0, 0],
  examples: [{ line: 'petasos jobs ls', does: 'jobs of the default sandbox' }],
  async run(context, values) {
    const name = values.name ?? defaultName;
    const target = await resolveTarget(context);
    const sandbox = await openExisting(context, target, name);
    const jobs = sandbox === undefined ? [] : await closing(sandbox, () => sandbox.jobs.list());
    if (context.json) writeJson(context, { backend: target.found.name, sandbox: name, jobs: jobs.map(shown) });
    else if (jobs.length === 0) context.stderr.write(`There are no jobs in ${name} (${target.found.name}).\n`);
    else context.stdout.write(jobsTable(context, jobs));
    return exitStatus.ok;
  },
});

const logs = defineCommand({
  name: 'logs',
  summary: 'Print what a job has written',
  usage: '[options] ID',
  details: 'Its stdout goes to stdout and its stderr to stderr, from the first byte that was kept.',
  options: { name: nameOption, follow: { type: 'boolean', short: 'f', help: 'go on until the job is over' } },
  words: [1, 1],
  examples: [{ line: 'petasos jobs logs -f ID', does: 'watch a job; Ctrl-C stops watching, not the job' }],
  run: (context, values, [id = '']) =>
    inSandbox(context, values.name, async (sandbox) => {
      await followOutput(context, sandbox.jobs, id, values.follow);
      return exitStatus.ok;
    }),
});

const wait = defineCommand({
  name: 'wait',
  summary: 'Wait until a job is over, and end with its status',
  usage: '[options] ID',
  options: {
    name: nameOption,
    json: jsonOption,
    timeout: { type: 'string', value: '90s', help: 'wait no longer than this; the job goes on' },
  },
  words: [1, 1],
  examples: [{ line: 'petasos jobs wait ID && echo done', does: 'go on when a job has succeeded' }],
  async run(context, values, [id = '']) {
    const timeoutMs = values.timeout === undefined ? undefined : parseDuration(values.timeout, '--timeout');
    return inSandbox(context, values.name, async (sandbox) => {
      const job = await sandbox.jobs.wait(id, { timeoutMs });
      if (context.json) writeJson(context, shown(job));
      if (job.state === 'running') {
        if (!context.json)
          context.stderr.write(`petasos: ${sandbox.backend}: job ${id} still runs after ${formatDuration(timeoutMs ?? 0)}; it goes on.\n`);
        return exitStatus.timedOut;
      }
      return jobStatus(job);
    });
  },
});

const kill = defineCommand({
  name: 'kill',
  summary: 'End a job and everything it started',
  usage: '[options] ID…',
  options: {
    name: nameOption,
    json: jsonOption,
    signal: { type: 'string', value: 'NAME', help: 'signal to send; default: TERM, followed by KILL' },
  },
  words: [1, Number.POSITIVE_INFINITY],
  examples: [
    { line: 'petasos jobs kill ID', does: 'ask it to end, and make it' },
    { line: 'petasos jobs kill --signal HUP ID', does: 'send one signal' },
  ],
  async run(context, values, ids) {
    const signal = values.signal === undefined ? undefined : parseSignal(values.signal);
    return inSandbox(context, values.name, async (sandbox) => {
      const jobs: JobInfo[] = [];
      for (const id of ids) jobs.push(await sandbox.jobs.kill(id, signal));
      if (context.json) writeJson(context, { jobs: jobs.map(shown) });
      return exitStatus.ok;
    });
  },
});

export default defineGroup({
  name: 'jobs',
  summary: 'See and end commands that run in the background',
  commands: [ls, logs, wait, kill],
  examples: [
    { line: 'petasos run --detach -- make all', does: 'start a job; its id is printed' },
    { line: 'petasos jobs logs -f ID', does: 'watch it, also from another terminal or tomorrow' },
  ],
});

async function inSandbox(context: Context, name: string | undefined, work: (sandbox: Sandbox) => Promise<number>): Promise<number> {
  const sandbox = await requireExisting(context, await resolveTarget(context), name ?? defaultName);
  return closing(sandbox, () => work(sandbox));
}

async function closing<T>(sandbox: Sandbox, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await sandbox.close();
  }
}

function shown({ id, command, state, exitCode, signal, pid, startedAt, endedAt }: JobInfo): object {
  return { id, command, state, exitCode, signal, pid, startedAt, ...(endedAt === undefined ? {} : { endedAt }) };
}

function jobsTable(context: Context, jobs: readonly JobInfo[]): string {
  const style = context.style(context.stdout);
  const rows = jobs.map((job) => [
    job.id,
    stateText(job),
    formatAge(Date.now() - job.startedAt.getTime()),
    shorten(oneLine(job.command), 60),
  ]);
  return table([['ID', 'STATE', 'AGE', 'COMMAND'].map((title) => style.bold(title)), ...rows]);
}

function stateText({ state, exitCode, signal }: JobInfo): string {
  if (state === 'exited' && exitCode !== null) return `exited ${exitCode}`;
  return state === 'signaled' && signal !== null ? signal : state;
}

function shorten(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

function jobStatus(job: JobInfo): number {
  if (job.state === 'timed-out') return exitStatus.timedOut;
  if (job.state === 'exited' && job.exitCode !== null) return job.exitCode;
  if (job.state === 'signaled' && job.signal !== null) return signalStatus(job.signal);
  throw new CliError(`how job ${job.id} ended is not known`, {
    status: exitStatus.placeFailed,
    code: 'job-lost',
    remedy: 'The place it ran in went away.',
  });
}

const commandSignals: readonly CommandSignal[] = [
  'SIGTERM',
  'SIGKILL',
  'SIGINT',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGSTOP',
  'SIGCONT',
];

function parseSignal(text: string): CommandSignal {
  const upper = text.toUpperCase();
  const signal = commandSignals.find((name) => name === upper || name === `SIG${upper}` || String(constants.signals[name]) === text);
  if (signal === undefined)
    throw new UsageError(
      `--signal: ${JSON.stringify(text)} is not a signal that can be sent`,
      `One of: ${commandSignals.map((name) => name.slice(3)).join(', ')}.`,
    );
  return signal;
}
