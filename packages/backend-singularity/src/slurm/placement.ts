import { type DriverPlacement, lifetimeWarnings } from '@petasos/core/backend';
import { lifetimeLeftMs } from '../instance.js';
import type { SandboxRecord } from '../records.js';
import type { Job } from './queue.js';

export function placementOf(record: SandboxRecord, job: Job): Partial<DriverPlacement> {
  const own = lifetimeLeftMs(record);
  const left = [own, job.leftMs].filter((ms) => ms !== null);
  const { cpus, memory, gpus } = record.slurm ?? { cpus: 1 };
  // Whether SLURM holds commands to what was asked for is the site's choice: it is no limit that is known to be in force.
  const asked = [`${cpus} CPUs`, memory && `${memory} of memory`, gpus && `GPUs ${gpus}`].filter(Boolean).join(', ');
  return {
    machine: { name: job.node, os: 'linux', image: record.imageName, region: `job ${job.id} in ${job.partition}: ${asked}` },
    lifetimeLeftMs: left.length === 0 ? null : Math.min(...left),
    warnings: lifetimeWarnings({ backend: 'SLURM', leftMs: job.leftMs, remedy: 'Save what matters; open again with a longer slurm.time.' }),
  };
}
