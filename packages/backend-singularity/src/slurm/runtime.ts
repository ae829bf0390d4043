import { setTimeout as delay } from 'node:timers/promises';
import { isPetasosError, type PetasosError } from '@petasos/core/backend';
import { spawnAtDoor } from '../door.js';
import { destroyed } from '../errors.js';
import { behind, type Machine } from '../machine/machine.js';
import { type Found, findRecord, instanceName, type SandboxRecord } from '../records.js';
import { execWords, type Runtime } from '../runtime.js';
import { directoryOf, type Site } from '../site.js';
import { allocate } from './allocation.js';
import { placementOf } from './placement.js';
import { endOf, type Job, readQueue, silenceOf, silent, stateOf } from './queue.js';

/** How long SLURM may take to answer: somebody waits for a command, or is to learn within five seconds that it is lost. */
const answerMs = 1_800;
/** How long a controller that is busy, or about to come back, may take before a command is refused. */
const patienceMs = 6_000;
/** How long, in looks at the queue, the end of a job is waited for. */
const pauseMs = 300;
const endingLooks = 12;
/** A node that has said a word so recently is there, whether or not the controller answers. */
const freshSeconds = 4;

interface Running extends Pick<Found, 'instance'> {
  readonly job: Job;
}

/** Containers on nodes that SLURM gives: one job for each sandbox, and a step of it for each connection. */
export function slurm(site: Site): Runtime {
  const directory = (record: SandboxRecord) => directoryOf(site, record.name);
  const find = async (record: SandboxRecord): Promise<Found> => {
    const found = await findRecord(site, record.name);
    if (found?.record.id !== record.id) throw destroyed(record);
    return found;
  };
  /** The sandbox with its job, if SLURM still has that; throws why it is over. */
  const running = async (record: SandboxRecord): Promise<Running> => {
    const { job: id, instance } = await find(record);
    const jobs = await readQueue(site, patienceMs);
    if (jobs === undefined) throw silent('slurm');
    const job = id === undefined ? undefined : jobs.get(id);
    if (job === undefined || stateOf(job) === 'gone') throw ended(record, job, id);
    return { job, instance };
  };
  /** The same for somebody who is to be told: a job that is just ending does not show yet what it ends as. */
  const told = async (record: SandboxRecord): Promise<Running> => {
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
        const { job: id } = await find(record);
        const jobs = await readQueue(site, answerMs);
        if (jobs === undefined) throw silent('slurm');
        return id === undefined ? 'gone' : stateOf(jobs.get(id));
      } catch (error) {
        if (isPetasosError(error, 'destroyed')) return 'gone';
        throw error;
      }
    },
    async spawn(record, argv, stdin) {
      const { job, instance } = await told(record);
      const inside = instance ? execWords(site.program, instanceName(record)) : [];
      const request = { way: stepWords(job.id, stdin), argv: [...inside, ...argv], stdin, running: () => running(record) };
      return spawnAtDoor(site, record, request);
    },
    async node(record): Promise<Machine> {
      return behind(site.machine, stepWords((await running(record)).job.id, false));
    },
    placement: async (record) => placementOf(record, (await running(record)).job),
  };
}

function stepWords(job: string, stdin: boolean): readonly string[] {
  return [
    ...['srun', `--jobid=${job}`, '--overlap', '--unbuffered', '--quiet', '--nodes=1', '--ntasks=1', '--cpu-bind=none'],
    ...(stdin ? [] : ['--input=none']),
  ];
}

function ended(record: SandboxRecord, job: Job | undefined, id: string | undefined): PetasosError {
  if (id === undefined) return destroyed(record, 'has no allocation');
  return destroyed(record, `has lost its allocation: ${endOf(job, id)}`, {
    job: id,
    state: job?.state ?? 'UNKNOWN',
    reason: job?.reason ?? '',
  });
}
