import type { CreateSandboxFromImageParams, CreateSandboxFromSnapshotParams } from '@daytona/sdk';
import { type CreateSpec, PetasosError } from '@petasos/core/backend';
import type { Daytona } from './client.js';
import type { DaytonaOptions } from './options.js';

/** What Daytona gives at most on an ordinary plan. */
const mostDiskGiB = 10;

/** Labels of ours besides those that the engine asks for. */
export const createLabel = 'petasos.create';
export const workdirLabel = 'petasos.workdir';

/** The sandbox that is asked for, in the SDK's words. A new object at each call: the SDK changes what it is given. */
export async function createParameters(
  client: Daytona,
  options: DaytonaOptions,
  spec: CreateSpec,
  nonce: string,
): Promise<CreateSandboxFromImageParams | CreateSandboxFromSnapshotParams> {
  const base = {
    name: spec.name,
    labels: {
      ...spec.labels,
      [createLabel]: nonce,
      ...(spec.workdir !== undefined && { [workdirLabel]: spec.workdir }),
    },
    autoStopInterval: options.autoStopMinutes ?? Math.max(1, Math.ceil(spec.idleLimitMs / 60_000)),
    autoDeleteInterval: options.persistent ? -1 : 0,
    ...(options.autoArchiveMinutes !== undefined && { autoArchiveInterval: options.autoArchiveMinutes }),
    ...(spec.lifetimeMs !== undefined && { ttlMinutes: Math.max(1, Math.ceil(spec.lifetimeMs / 60_000)) }),
    ...(options.user !== undefined && { user: options.user }),
    ...networkParameters(options.network),
    volumes: await volumeMounts(client, options.volumes),
  };
  if (spec.from !== undefined) return { ...base, snapshot: spec.from };
  if (options.image === undefined) {
    refuseResources(options);
    return base;
  }
  return { ...base, image: options.image, resources: resources(options, spec) };
}

function networkParameters(network: DaytonaOptions['network']): {
  networkBlockAll?: boolean;
  networkAllowList?: string;
  domainAllowList?: string;
} {
  if (network === 'open') return {};
  if (network === 'none') return { networkBlockAll: true };
  const isBlock = (entry: string) => /^[\d.]+(\/\d+)?$|:/.test(entry);
  const blocks = network.allow.filter(isBlock).map((block) => (block.includes('/') ? block : `${block}/32`));
  const domains = network.allow.filter((entry) => !isBlock(entry));
  return {
    ...(blocks.length > 0 && { networkAllowList: blocks.join(',') }),
    ...(domains.length > 0 && { domainAllowList: domains.join(',') }),
  };
}

async function volumeMounts(client: Daytona, volumes: readonly string[]): Promise<{ volumeId: string; mountPath: string }[]> {
  return Promise.all(
    volumes.map(async (volume) => {
      const at = volume.indexOf(':');
      return { volumeId: (await client.volume.get(volume.slice(0, at), true)).id, mountPath: volume.slice(at + 1) };
    }),
  );
}

/** Whole units: a sandbox gets at least what was asked for. */
function resources(options: DaytonaOptions, spec: CreateSpec): { cpu?: number; memory?: number; disk?: number } {
  const gib = (mib: number) => Math.ceil(mib / 1024);
  const disk = options.diskMiB ? gib(options.diskMiB) : undefined;
  if (disk !== undefined && disk > mostDiskGiB)
    spec.onProgress?.({
      step: 'creating the sandbox',
      detail: `Daytona gives ${mostDiskGiB} GiB of disk at most; ${disk} GiB were asked for`,
    });
  return {
    ...(options.cpus ? { cpu: Math.ceil(options.cpus) } : {}),
    ...(options.memoryMiB ? { memory: gib(options.memoryMiB) } : {}),
    ...(disk !== undefined && { disk: Math.min(disk, mostDiskGiB) }),
  };
}

/** A snapshot has its own resources, and Daytona's default is one. */
function refuseResources({ cpus, memoryMiB, diskMiB }: DaytonaOptions): void {
  if (!cpus && !memoryMiB && !diskMiB) return;
  throw new PetasosError('invalid-options', 'options of daytona: cpus, memoryMiB and diskMiB need an image', {
    backend: 'daytona',
    operation: 'create',
    remedy: 'Name an image, or leave the resources to the default snapshot.',
  });
}
