import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type DriverExit, type DriverProcess, isPetasosError, type PetasosError } from '@petasos/core/backend';
import { destroyed } from '../errors.js';
import { behind, type Machine, runScript } from '../machine/machine.js';
import { shellWords } from '../machine/quote.js';
import { findRecord, instanceName, type SandboxRecord } from '../records.js';
import { execWords, type Runtime } from '../runtime.js';
import { directoryOf, type Site } from '../site.js';
import { allocate } from './allocation.js';
import { placementOf } from './placement.js';
import { endOf, type Job, readQueue, silenceOf, silent, stateOf } from './queue.js';
import { relay } from './scripts.js';

/** How long SLURM may take to answer: somebody waits for a command, or is to learn within five seconds that it is lost. */
const answerMs = 1_800;
/** How long a controller that is busy, or about to come back, may take before a command is refused. */
const patienceMs = 6_000;
/** How long, in looks at the queue, the end of a job is waited for. */
const pauseMs = 300;
const endingLooks = 12;
const cutLooks = 5;
/** A node that has said a word so recently is there, whether or not the controller answers. */
const freshSeconds = 4;

/** Instances on nodes that SLURM gives: one job for each sandbox, and a step of it for each connection. */
export function slurm(site: Site): Runtime {
  const directory = (record: SandboxRecord) => directoryOf(site, record.name);
  const jobOf = async (record: SandboxRecord) => {
    const found = await findRecord(site, record.name);
    if (found?.record.id !== record.id) throw destroyed(record);
    return found.job;
  };
  /** The sandbox's job, if SLURM still has it; throws why it is over. */
  const running = async (record: SandboxRecord): Promise<Job> => {
    const id = await jobOf(record);
    const jobs = await readQueue(site, patienceMs);
    if (jobs === undefined) throw silent('slurm');
    const job = id === undefined ? undefined : jobs.get(id);
    if (job === undefined || stateOf(job) === 'gone') throw ended(record, job, id);
    return job;
  };
  /** The same for somebody who is to be told: a job that is just ending does not show yet what it ends as. */
  const told = async (record: SandboxRecord): Promise<Job> => {
    for (let looks = 0; ; looks += 1) {
      try {
        return await running(record);
      } catch (error) {
        if (looks >= endingLooks || !(isPetasosError(error) && error.data.state === 'COMPLETING')) throw error;
        await delay(pauseMs);
      }
    }
  };
  return {
    start: (record, context) => allocate(site, record, context),
    async states(found) {
      const jobs = await readQueue(site, patienceMs);
      if (jobs === undefined) throw silent('slurm');
      return found.map(({ record, job }) => {
        const state = job === undefined ? 'running' : stateOf(jobs.get(job));
        return state === 'gone' && record.settings.persistent ? 'stopped' : state;
      });
    },
    async require(record) {
      await told(record);
    },
    async state(record) {
      const silence = await silenceOf(site, directory(record));
      if (silence !== undefined && silence <= freshSeconds) return 'running';
      try {
        const id = await jobOf(record);
        const jobs = await readQueue(site, answerMs);
        if (jobs === undefined) throw silent('slurm');
        return id === undefined ? 'gone' : stateOf(jobs.get(id));
      } catch (error) {
        if (isPetasosError(error, 'destroyed')) return 'gone';
        throw error;
      }
    },
    async spawn(record, argv, stdin) {
      const job = await running(record);
      const words = shellWords(['exec', ...execWords(site.program, instanceName(record)), ...argv]);
      const ticket = randomBytes(8).toString('hex');
      const step = [...stepWords(job.id, stdin), '/bin/sh', '-c', relay, 'petasos', directory(record), ticket, words];
      const process = await site.machine.spawn(step, stdin);
      let killed = false;
      return {
        ...process,
        exited: explained(process, {
          wasCut: async () => !killed && (await leftAtDoor(site, directory(record), ticket)),
          running: () => running(record),
        }),
        kill() {
          killed = true;
          process.kill();
        },
      };
    },
    async node(record): Promise<Machine> {
      return behind(site.machine, stepWords((await running(record)).id, false));
    },
    placement: async (record) => placementOf(record, await running(record)),
  };
}

function stepWords(job: string, stdin: boolean): readonly string[] {
  return [
    ...['srun', `--jobid=${job}`, '--overlap', '--unbuffered', '--quiet', '--nodes=1', '--ntasks=1', '--cpu-bind=none'],
    ...(stdin ? [] : ['--input=none']),
  ];
}

interface Cut {
  /** Whether the step has ended without having carried its process to the end. */
  wasCut(): Promise<boolean>;
  running(): Promise<unknown>;
}

/** A step that was cut off ends with any status, 0 included, and a moment before its job does: SLURM tells which it was. */
async function explained(process: DriverProcess, { wasCut, running }: Cut): Promise<DriverExit> {
  const exit = await process.exited;
  if (!(await wasCut())) return exit;
  for (let looks = 0; looks < cutLooks; looks += 1) {
    try {
      await running();
    } catch (error) {
      if (isPetasosError(error, 'destroyed')) throw error;
    }
    await delay(pauseMs);
  }
  return { ...exit, exitCode: null };
}

/** A step removes its own directory as the last thing that it does. */
async function leftAtDoor(site: Site, directory: string, ticket: string): Promise<boolean> {
  const { exitCode } = await runScript(site.machine, '[ -d "$1/door/$2" ]', [directory, ticket], { timeoutMs: 5_000 });
  return exitCode === 0;
}

function ended(record: SandboxRecord, job: Job | undefined, id: string | undefined): PetasosError {
  if (id === undefined) return destroyed(record, 'has no allocation');
  return destroyed(record, `has lost its allocation: ${endOf(job, id)}`, {
    job: id,
    state: job?.state ?? 'UNKNOWN',
    reason: job?.reason ?? '',
  });
}
