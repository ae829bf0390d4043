import type { DriverPlacement, Mount, Warning } from '@petasos/core/backend';
import { failure } from './errors.js';
import { lifetimeLeftMs } from './instance.js';
import { runScript } from './machine/machine.js';
import { hostMounts } from './mounts.js';
import { boundsAll } from './overlay.js';
import type { SandboxRecord } from './records.js';
import { type Runtime, runInside } from './runtime.js';
import { mountTables, writableMounts } from './scripts/sandbox.js';
import { directoryOf, type Site } from './site.js';

export async function describe(site: Site, runtime: Runtime, record: SandboxRecord): Promise<DriverPlacement> {
  const { settings } = record;
  const directory = directoryOf(site, record.name);
  const [node, given] = await Promise.all([runtime.node(record), runtime.placement(record)]);
  const [tables, writable] = await Promise.all([
    runScript(node, mountTables, [directory], { timeoutMs: 20_000 }),
    runInside(runtime, record, ['/bin/sh', '-c', writableMounts]),
  ]);
  if (tables.exitCode !== 0 || writable.exitCode !== 0)
    throw failure('place-failed', `the mounts of ${record.name} cannot be read`, { operation: 'placement' });
  const mounts = hostMounts(tables.stdout, writable.stdout).filter(({ source }) => !source.startsWith(`${directory}/`));
  return {
    machine: { name: site.host, os: 'linux', image: record.imageName },
    user: site.user,
    mounts,
    network: { mode: settings.network },
    limits: limitsInForce(record),
    isolation: 'container',
    storage: settings.persistent ? 'persistent' : 'ephemeral',
    lifetimeLeftMs: lifetimeLeftMs(record),
    cost: { class: 'free' },
    ...given,
    warnings: [...warnings(record, site, mounts), ...(given.warnings ?? [])],
  };
}

function limitsInForce({ settings, limited }: SandboxRecord): DriverPlacement['limits'] {
  if (!limited) return {};
  return {
    ...(settings.cpus > 0 && { cpus: settings.cpus }),
    ...(settings.memoryMiB > 0 && { memoryMiB: settings.memoryMiB }),
    ...(settings.pids > 0 && { pids: settings.pids }),
  };
}

function warnings({ settings, limited }: SandboxRecord, site: Site, mounts: readonly Mount[]): readonly Warning[] {
  const found: Warning[] = [];
  if (!settings.containall) {
    found.push({
      id: 'singularity.not-contained',
      message: 'commands see the processes, the devices and the temporary directories of the machine',
      remedy: 'Set containall, unless a program needs them.',
    });
  }
  const asked = new Set(settings.binds.map((bind) => bind.split(':')[1] ?? bind.split(':')[0]));
  const bySite = mounts.filter(
    ({ target, access }) => access === 'read-write' && !asked.has(target) && !(settings.home && target === site.home),
  );
  if (bySite.length > 0) {
    found.push({
      id: 'singularity.site-binds',
      message: `the site binds ${bySite.map(({ target }) => target).join(', ')} writable into every container`,
      remedy: "Ask the administrator about 'bind path' and 'mount home' in apptainer.conf if commands must not write there.",
    });
  }
  const wanted = [settings.cpus > 0 && 'CPUs', settings.memoryMiB > 0 && 'memory', settings.pids > 0 && 'processes'].filter(Boolean);
  if (wanted.length > 0 && !limited) {
    found.push({
      id: 'singularity.unlimited',
      message: `the limits on ${wanted.join(', ')} are not in force: they need cgroups v2 that the administrator has delegated to ${site.user.name}`,
      remedy: 'Ask for cgroups v2 with delegation, or let SLURM limit an allocation.',
    });
  }
  if (settings.diskMiB > 0 && !boundsAll(settings)) {
    found.push({
      id: 'singularity.unlimited-disk',
      message: 'no limit on disk is in force: what commands write lies in a directory',
      remedy: `Set overlayMiB for an overlay of that size, rely on the quota of ${site.user.name}, or set diskMiB to 0.`,
    });
  }
  return found;
}
