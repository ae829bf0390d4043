import { setTimeout as delay } from 'node:timers/promises';
import { InputLines, type InputPiece } from '../approval/gate/input-lines.js';
import { isPetasosError, PetasosError } from '../contract/index.js';
import { cwdError } from '../engine/cwd.js';
import { type JobRecord, JobRecords, readReport } from '../engine/job/records.js';
import { encodeMessage } from '../engine/message.js';
import { checkRequest } from '../engine/request.js';
import { admit, defaultGraceMs, resolveDirectory, type SandboxCore, withoutOutput } from './core.js';
import { checkCommand, checkOptions } from './requests.js';
import type { JobInfo, JobStartOptions, Jobs } from './types.js';

const defaultOutputBytes = 64 * 1024 * 1024;
const readBytes = 4 * 1024 * 1024;
/** Finished jobs older than this are removed when jobs are listed. */
const keptMs = 24 * 60 * 60 * 1000;
const firstWaitMs = 20;
const longestWaitMs = 1_000;

interface About {
  readonly command: string;
  readonly startedAt: string;
  readonly graceMs: number;
  readonly input: 'open' | 'none';
}

export function createJobs(core: SandboxCore): Jobs {
  const backend = core.backend.name;
  const records = new JobRecords(core.operator, async () => `${await core.scratch()}/jobs`, backend);

  const inputs = new Map<string, InputLines>();
  const closedInputs = new Set<string>();

  const findRecord = async (id: string, operation: string): Promise<JobRecord> => {
    core.life.require(operation);
    if (!/^[0-9a-f]{32}$/.test(id)) throw missing(id, operation);
    const [record] = await records.list([id]);
    if (!record) throw missing(id, operation);
    return record;
  };

  const find = async (id: string, operation: string): Promise<JobInfo> => describe(await findRecord(id, operation));

  const missing = (id: string, operation: string) =>
    new PetasosError('job-not-found', `there is no job ${id} in the sandbox ${core.driver.ref.name} of ${backend}`, {
      backend,
      operation,
      data: { job: id },
      remedy: 'List the jobs of the sandbox; finished ones are removed after a day.',
    });

  const linesOf = (job: JobInfo): InputLines => {
    const lines = inputs.get(job.id) ?? new InputLines(job.command, 'job');
    inputs.set(job.id, lines);
    return lines;
  };

  /** Whole lines only: half a line could not be judged, and the rest would finish it behind the gate's back. */
  const deliver = async (job: JobInfo, pieces: readonly InputPiece[]): Promise<void> => {
    if (job.state !== 'running') throw inputClosed(job.id);
    const lines = linesOf(job);
    for (const { bytes, text = '' } of pieces) {
      const pass = await admit(core, { operation: 'job-input', command: text, reader: lines.reader });
      let written = false;
      try {
        written = await records.write(job.id, bytes);
      } finally {
        pass.ended(withoutOutput(written ? 'written' : 'failed'));
      }
      if (!written) throw inputClosed(job.id);
      lines.delivered(text);
    }
  };

  const inputClosed = (id: string) =>
    new PetasosError('job-input-closed', `the job ${id} in ${backend} takes no input`, {
      backend,
      operation: 'jobs.write',
      remedy: "Start it with stdin: 'open'; its input ends with closeInput or with the job.",
    });

  /** @returns why the directory cannot be entered, where it cannot */
  const begin = async (id: string, command: string, cwd: string, options: JobStartOptions): Promise<string | undefined> => {
    const { bash } = await core.runner.facts();
    const env = { ...core.env, ...options.env };
    const program = { kind: 'command', text: command } as const;
    checkRequest({ program, cwd, env, stdin: 'none', graceMs: 0 });
    const openInput = options.stdin === 'open';
    const graceMs = options.graceMs ?? defaultGraceMs;
    const about: About = { command, startedAt: new Date().toISOString(), graceMs, input: options.stdin ?? 'none' };
    const input = openInput ? ({ kind: 'file', path: `${await records.path(id)}/in` } as const) : ({ kind: 'none' } as const);
    return records.start({
      id,
      message: encodeMessage({ nonce: id, program, cwd, env, input, acknowledge: true }, bash),
      about: JSON.stringify(about),
      limit: options.maxOutputBytes ?? defaultOutputBytes,
      timeoutMs: options.timeoutMs,
      graceMs,
      mode: 'keep',
      openInput,
    });
  };

  return {
    async start(command, options: JobStartOptions = {}) {
      checkCommand(command, 'jobs.start');
      checkOptions('jobs.start', options);
      const cwd = await resolveDirectory(core, options.cwd);
      const pass = await admit(core, {
        operation: 'job',
        command,
        cwd,
        env: options.env,
        stdin: options.stdin === 'open' ? { text: undefined } : undefined,
      });
      const id = core.nonce();
      try {
        const refused = await begin(id, command, cwd, options);
        if (refused !== undefined) throw cwdError(backend, cwd, refused);
      } catch (error) {
        // It may have started all the same.
        pass.ended(withoutOutput(isPetasosError(error, 'disconnected') ? 'disconnected' : 'failed'));
        throw error;
      }
      // The record of a job ends with its start: it may outlive whoever started it.
      pass.ended(withoutOutput('started'));
      return find(id, 'jobs.start');
    },

    get: (id) => find(id, 'jobs.get'),

    async list() {
      const jobs = (await records.list([])).map(describe);
      const old = jobs.filter((job) => job.endedAt && Date.now() - job.endedAt.getTime() > keptMs);
      await records.remove(old.map((job) => job.id));
      return jobs.filter((job) => !old.includes(job)).sort((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
    },

    async output(id, options = {}) {
      checkOptions('jobs.output', options);
      await find(id, 'jobs.output');
      const stream = options.stream ?? 'stdout';
      const asked = options.from ?? 0;
      const chunk = await records.read(id, stream === 'stdout' ? 'out' : 'err', asked, options.maxBytes ?? readBytes);
      if (!chunk) throw missing(id, 'jobs.output');
      const from = chunk.from;
      return { stream, bytes: chunk.bytes, from, next: from + chunk.bytes.length, droppedBytes: Math.max(0, from - asked), end: chunk.end };
    },

    async wait(id, options = {}) {
      checkOptions('jobs.wait', options);
      const deadline = options.timeoutMs === undefined ? Number.POSITIVE_INFINITY : core.now() + options.timeoutMs;
      let pause = firstWaitMs;
      for (;;) {
        if (options.signal?.aborted)
          throw new PetasosError('aborted', `waiting for the job ${id} was aborted; it goes on`, { backend, operation: 'jobs.wait' });
        const job = await find(id, 'jobs.wait');
        const left = deadline - core.now();
        if (job.state !== 'running' || left <= 0) return job;
        await delay(Math.min(pause, left), undefined, { signal: options.signal }).catch(() => {});
        pause = Math.min(pause * 1.5, longestWaitMs);
      }
    },

    async kill(id, signal = 'SIGTERM') {
      const record = await findRecord(id, 'jobs.kill');
      const job = describe(record);
      if (job.state !== 'running') return job;
      if (signal === 'SIGTERM') await records.terminate(id, aboutOf(record).graceMs);
      else if (signal === 'SIGKILL') await records.terminate(id, 0);
      else await records.signal(id, signal);
      return find(id, 'jobs.kill');
    },

    async write(id, data) {
      const record = await findRecord(id, 'jobs.write');
      if (aboutOf(record).input === 'none' || closedInputs.has(id)) throw inputClosed(id);
      const job = describe(record);
      await deliver(job, linesOf(job).push(data));
    },

    async closeInput(id) {
      const job = await find(id, 'jobs.closeInput');
      if (job.state === 'running') await deliver(job, linesOf(job).end());
      inputs.delete(id);
      closedInputs.add(id);
      await records.closeInput(id);
    },

    async remove(id) {
      const job = await find(id, 'jobs.remove');
      if (job.state === 'running') {
        throw new PetasosError('invalid-request', `the job ${id} still runs in ${backend}`, {
          backend,
          operation: 'jobs.remove',
          remedy: 'Kill it first.',
        });
      }
      await records.remove([id]);
    },
  };
}

function aboutOf(record: JobRecord): About {
  return JSON.parse(record.about) as About;
}

function describe(record: JobRecord): JobInfo {
  const about = aboutOf(record);
  const base = {
    id: record.id,
    command: about.command,
    pid: record.pid,
    startedAt: new Date(about.startedAt),
    // The place tells whole seconds, by its own clock; an end is never before its start.
    endedAt: record.endedAt && new Date(Math.max(record.endedAt.getTime(), Date.parse(about.startedAt))),
  };
  if (record.report === undefined) return { ...base, state: record.alive ? 'running' : 'lost', exitCode: null, signal: null };
  const end = readReport(record.report);
  return { ...base, exitCode: end.exitCode, signal: end.signal, state: record.timedOut ? 'timed-out' : end.ended };
}
