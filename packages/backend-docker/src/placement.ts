import { type DriverPlacement, looksSecret, type Mount, type Warning } from '@petasos/core/backend';
import { addedCapabilities } from './container/hardening.js';
import { label } from './container/labels.js';
import { isRoot } from './container/spec.js';
import type { ContainerDetails } from './engine/shapes.js';
import type { DockerOptions } from './options.js';

const mib = 1024 * 1024;

/** What the container is, by the engine's own account, and what of it loosens the isolation. */
export function placementOf(container: ContainerDetails, options: DockerOptions): DriverPlacement {
  const { Config, HostConfig } = container;
  const labels = Config.Labels ?? {};
  const mounts = (container.Mounts ?? [])
    .filter(({ Type }) => Type === 'bind')
    .map(({ Source, Destination, RW }): Mount => ({ source: Source, target: Destination, access: RW ? 'read-write' : 'read-only' }));
  const ends = labels[label.ends];
  return {
    machine: { name: Config.Hostname ?? container.Id.slice(0, 12), os: 'linux', image: labels[label.image] ?? Config.Image },
    mounts,
    forwarded: options.forwardEnv ?? [],
    network: { mode: HostConfig.NetworkMode === 'none' ? 'none' : 'open' },
    limits: {
      ...(HostConfig.NanoCpus && { cpus: HostConfig.NanoCpus / 1e9 }),
      ...(HostConfig.Memory && { memoryMiB: HostConfig.Memory / mib }),
      ...(HostConfig.PidsLimit && HostConfig.PidsLimit > 0 && { pids: HostConfig.PidsLimit }),
      ...diskLimit(HostConfig.StorageOpt?.size),
    },
    isolation: 'container',
    storage: labels[label.persistent] === 'true' ? 'persistent' : 'ephemeral',
    lifetimeLeftMs: ends === undefined ? null : Math.max(1, Number(ends) - Date.now()),
    cost: { class: 'free' },
    warnings: warningsOf(container, options, mounts),
  };
}

function diskLimit(size: string | undefined): { readonly diskGiB?: number } {
  const megabytes = /^(\d+)M$/.exec(size ?? '')?.[1];
  return megabytes === undefined ? {} : { diskGiB: Number(megabytes) / 1024 };
}

function warningsOf({ Config, HostConfig }: ContainerDetails, options: DockerOptions, mounts: readonly Mount[]): Warning[] {
  const found: Warning[] = [];
  const warn = (id: string, message: string, remedy: string) => found.push({ id, message, remedy });
  if (HostConfig.Privileged)
    warn('container.privileged', 'the container is privileged: its root is root of the machine', 'Take the option privileged away.');
  if (isRoot(Config.User ?? '') && mounts.some(({ access }) => access === 'read-write'))
    warn(
      'user.root-with-mounts',
      'commands run as root and can write to directories of the machine',
      'Set runAsHostUser, or mount read-only.',
    );
  const added = addedCapabilities(HostConfig.CapAdd ?? []);
  if (added.length > 0)
    warn('container.capabilities', `the container has the capabilities ${added.join(', ')}`, 'Take what is not needed out of capAdd.');
  if (!HostConfig.Privileged && !HostConfig.SecurityOpt?.some((option) => option.startsWith('no-new-privileges')))
    warn('container.new-privileges', 'programs may gain privileges, as sudo does', 'Take allowNewPrivileges or snapCompat away.');
  if (HostConfig.NetworkMode === 'host')
    warn('network.host', 'the container uses the network of the machine itself', 'Use the default network.');
  for (const name of Object.keys(options.env ?? {}).filter(looksSecret))
    warn(
      'env.secret',
      `the variable ${name} looks like a secret, and every command gets it`,
      `Take ${name} out of env unless commands need it.`,
    );
  if (options.diskMiB !== undefined && HostConfig.StorageOpt?.size === undefined)
    warn(
      'limits.disk',
      `the storage of this engine cannot limit a container to ${options.diskMiB} MiB`,
      'Use overlay2 on XFS with project quotas, btrfs or ZFS; or do without diskMiB.',
    );
  const asked = options.image;
  const used = Config.Labels?.[label.image];
  if (asked !== undefined && used !== undefined && used !== asked && Config.Labels?.[label.snapshotOf] === undefined)
    warn('image.differs', `the sandbox was made from ${used}, and the options name ${asked}`, 'Destroy it, or open another name.');
  return found;
}
