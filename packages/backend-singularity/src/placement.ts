import type { DriverPlacement } from '@petasos/core/backend';
import { lifetimeLeftMs } from './instance.js';
import type { SandboxRecord } from './records.js';
import type { Site } from './site.js';

export async function describe(site: Site, record: SandboxRecord): Promise<DriverPlacement> {
  return {
    machine: { name: site.host, os: 'linux', image: record.imageName },
    user: site.user,
    mounts: [],
    network: { mode: record.settings.network },
    limits: {},
    isolation: 'container',
    storage: record.settings.persistent ? 'persistent' : 'ephemeral',
    lifetimeLeftMs: lifetimeLeftMs(record),
    cost: { class: 'free' },
    warnings: [],
  };
}
