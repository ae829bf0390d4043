import { type DriverPlacement, lifetimeWarnings } from '@petasos/core/backend';
import { lifetimeLeftMs } from '../instance.js';
import type { SandboxRecord } from '../records.js';
import type { Job } from './queue.js';

export function placementOf(record: SandboxRecord, job: Job): Partial<DriverPlacement> {
  const own = lifetimeLeftMs(record);
  const left = [own, job.leftMs].filter((ms) => ms !== null);
  const { slurm } = record;
  const memory = memoryMiB(slurm?.memory);
  return {
    machine: { name: job.node, os: 'linux', image: record.imageName, region: `job ${job.id}, partition ${job.partition}` },
    lifetimeLeftMs: left.length === 0 ? null : Math.min(...left),
    limits: { ...(slurm && { cpus: slurm.cpus }), ...(memory !== undefined && { memoryMiB: memory }) },
    warnings: lifetimeWarnings({ backend: 'SLURM', leftMs: job.leftMs, remedy: 'Save what matters; open again with a longer slurm.time.' }),
  };
}

/** `8G` in MiB; SLURM's own unit is the megabyte of 1024 × 1024 bytes. */
function memoryMiB(text: string | undefined): number | undefined {
  const match = /^(\d+)([KMGT]?)$/.exec(text ?? '');
  if (!match) return undefined;
  return Number(match[1]) * ({ K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 }[match[2] ?? ''] ?? 1);
}
