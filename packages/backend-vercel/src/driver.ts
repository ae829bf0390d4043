import {
  type Driver,
  type DriverForward,
  type DriverPlacement,
  estimateCost,
  lifetimeWarnings,
  PetasosError,
  processOfCall,
  unsupported,
} from '@petasos/core/backend';
import { VercelCalls } from './calls.js';
import { vercelError } from './errors.js';
import { vercelFiles } from './files.js';
import { Lease } from './lease.js';
import type { VercelOptions } from './options.js';
import type { VercelPlace } from './place.js';
import { prices } from './price.js';

const mostPorts = 15;

/** Whether a process of the sandbox $1 runs beside the one that asks. */
const busyScript = 'grep -lq "PETASOS_SANDBOX=$1" /proc/[0-9]*/environ 2>/dev/null && echo busy; exit 0';

export interface DriverSettings {
  readonly options: VercelOptions;
  readonly workdir?: string | undefined;
  readonly idleLimitMs?: number | undefined;
  readonly lifetimeMs?: number | undefined;
}

export function createDriver(place: VercelPlace, settings: DriverSettings): Driver {
  const { options } = settings;
  const persistent = options.persistent !== false;
  const workdir = settings.workdir ?? options.workdir ?? place.session.cwd;
  const calls: VercelCalls = new VercelCalls(place, () => lease.touch());
  const lease = new Lease({
    place,
    options,
    idleMs: persistent ? settings.idleLimitMs : undefined,
    fixed: settings.lifetimeMs !== undefined,
    busy: async () => (await calls.run(['/bin/sh', '-c', busyScript, 'busy', place.id])).output.includes('busy'),
  });
  const rest = persistent && {
    pause: () => place.stop(),
    resume: () => place.resume(),
  };
  return {
    ref: { backend: 'vercel', id: place.id, name: place.name },
    workdir,
    async placement() {
      await place.look();
      return placement(place, lease, options);
    },
    spawn: async (request) => processOfCall(calls.run(request.argv, request.env)),
    state: () => place.state(),
    async close() {
      lease.close();
      await calls.close().catch(() => {});
    },
    files: vercelFiles(place, calls),
    ...rest,
    snapshot: () => takeSnapshot(place),
    async terminal(request) {
      lease.touch();
      const { openTerminal } = await import('./terminal.js');
      return openTerminal(place, request, workdir);
    },
    forward: (port) => forward(place, port),
    extend: (ms) => lease.extend(ms),
  };
}

function placement(place: VercelPlace, lease: Lease, { network = 'open' }: VercelOptions): DriverPlacement {
  const { sandbox, session } = place;
  const allowed = typeof network === 'object' ? [...(network.domains ?? []), ...(network.cidrs ?? [])] : undefined;
  const mode = typeof network === 'object' ? 'allowlist' : network;
  return {
    machine: { name: sandbox.name, os: 'linux', image: sandbox.image ?? sandbox.runtime ?? session.runtime, region: session.region },
    mounts: [],
    network: { mode, ...(allowed && { allowed }) },
    limits: { cpus: session.vcpus, memoryMiB: session.memory },
    isolation: 'vm',
    storage: sandbox.persistent ? 'persistent' : 'ephemeral',
    lifetimeLeftMs: lease.leftMs,
    cost: estimateCost(prices, { cpus: session.vcpus, memoryMiB: session.memory }),
    warnings: [
      ...lifetimeWarnings({
        backend: 'vercel',
        leftMs: lease.leftMs,
        maximumMs: lease.maximumMs,
        remedy: 'Extend it, or let it stop: the next command starts it again with its files, not with its processes.',
      }),
      ...lease.warnings(),
    ],
  };
}

/** The service ends the session for it; a new one is started at once, with the same files and none of the processes. */
async function takeSnapshot(place: VercelPlace): Promise<string> {
  const before = place.sandbox.currentSnapshotId;
  let id: string | undefined;
  try {
    id = await place.use('snapshot', async (session) => (await session.snapshot()).snapshotId);
  } catch (error) {
    // The answer may be lost although the snapshot was taken.
    if (!(error instanceof PetasosError) || error.code !== 'disconnected') throw error;
    const now = (await place.look()).currentSnapshotId;
    if (now === undefined || now === before) throw error;
    id = now;
  }
  await place.resume();
  return id;
}

async function forward(place: VercelPlace, port: number): Promise<DriverForward> {
  const find = () => place.sandbox.routes.find((route) => route.port === port);
  if (find() === undefined) {
    const ports = [...place.sandbox.routes.map((route) => route.port), port];
    if (ports.length > mostPorts) throw unsupported('vercel', `more than ${mostPorts} ports`, 'forward');
    await place.sandbox.update({ ports }).catch((error: unknown) => {
      throw vercelError(error, 'forward', place.name);
    });
  }
  const route = find();
  if (route === undefined) throw vercelError(new Error(`no route for port ${port}`), 'forward', place.name);
  return { address: route.url, async close() {} };
}
