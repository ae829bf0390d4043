import { readFileSync } from 'node:fs';
import type { LimitKind } from '@petasos/core/backend';
import type { SingularityOptions } from './options.js';

const controllerOf: Readonly<Record<string, LimitKind>> = { cpu: 'cpu', memory: 'memory', pids: 'pids' };

/**
 * Which limits the container program can set here without root: those whose cgroups v2 controllers the user's own manager has been
 * given. Another user's, another machine's or an allocation's are not known.
 */
export function enforceableLimits({ launcher, ssh, slurm }: Pick<SingularityOptions, 'launcher' | 'ssh' | 'slurm'>): readonly LimitKind[] {
  const uid = process.getuid?.();
  if (launcher.length > 0 || ssh !== undefined || slurm !== undefined || uid === undefined || uid === 0) return [];
  try {
    const controllers = readFileSync(`/sys/fs/cgroup/user.slice/user-${uid}.slice/user@${uid}.service/cgroup.controllers`, 'utf8');
    return controllers
      .trim()
      .split(' ')
      .flatMap((name) => controllerOf[name] ?? []);
  } catch {
    return [];
  }
}

/** Whether every limit that the options set can be enforced. */
export function canEnforce(options: SingularityOptions): boolean {
  const possible = enforceableLimits(options);
  const wanted: Readonly<Record<string, number>> = { cpu: options.cpus, memory: options.memoryMiB, pids: options.pids };
  return Object.entries(wanted).every(([kind, amount]) => amount === 0 || possible.some((one) => one === kind));
}
