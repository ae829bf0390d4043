import type { Driver, DriverForward, DriverPlacement } from '@petasos/core/backend';
import { lifetimeWarnings } from '@petasos/core/backend';
import { translate } from './errors.js';
import { nativeFiles } from './files.js';
import { forwardPort } from './forward.js';
import { defaultImage, longestLifeMs, type ModalOptions } from './options.js';
import type { Place } from './place.js';
import { costOf } from './price.js';
import { lost, startProcess } from './process.js';
import { openTerminal } from './terminal.js';

export function createDriver(place: Place): Driver {
  const { options } = place;
  const forwards = new Set<DriverForward>();
  return {
    ref: place.ref,
    workdir: place.workdir,
    // The SDK takes 64 MiB of each stream before it lets the service wait.
    outputRunsAhead: true,
    restored: place.restored,
    placement: async () => placement(place),
    spawn: (request) => place.start((sandbox) => startProcess(sandbox, request)),
    state: () => place.state(),
    files: nativeFiles(place),
    pause: () => place.sleep(),
    resume: () => place.wake(),
    snapshot: () => place.snapshot(),
    async extend() {
      // Modal moves no end; another life begins with the whole time.
      await place.sleep();
      await place.wake();
    },
    terminal: (request) => place.start((sandbox) => openTerminal(sandbox, request, place.workdir ?? '/')),
    async forward(port) {
      try {
        const forward = await forwardPort(place.sandbox, port, options.ports ?? []);
        forwards.add(forward);
        return forward;
      } catch (error) {
        throw await lost(place.sandbox, error, 'forward', `port ${port} cannot be forwarded`);
      }
    },
    async close() {
      await Promise.all([...forwards].map((forward) => forward.close()));
      forwards.clear();
      place.close();
    },
  };
}

async function placement(place: Place): Promise<DriverPlacement> {
  const { options, sandbox } = place;
  if ((await place.state()) === 'gone')
    throw translate(Object.assign(new Error('it has ended'), { name: 'ConflictError' }), 'placement', 'no sandbox');
  return {
    machine: { name: sandbox.sandboxId, os: 'linux', image: options.image ?? defaultImage, region: options.region },
    mounts: [],
    network: network(options),
    limits: { ...(options.cpus ? { cpus: options.cpus } : {}), ...(options.memoryMiB ? { memoryMiB: options.memoryMiB } : {}) },
    isolation: 'vm',
    storage: place.persistent ? 'persistent' : 'ephemeral',
    lifetimeLeftMs: place.leftMs,
    cost: costOf(options),
    warnings: [
      ...lifetimeWarnings({
        backend: 'modal',
        leftMs: place.leftMs,
        maximumMs: longestLifeMs,
        remedy: place.persistent
          ? 'Its files are kept; open it again then, or extend it now: either way what runs in it ends.'
          : 'Take a snapshot and open a new sandbox from it, or extend it now: either way what runs in it ends.',
      }),
      ...(options.ports?.length
        ? [
            {
              id: 'ports.public',
              message: `the ports ${options.ports.join(', ')} have public URLs: whoever knows one reaches what listens there`,
              remedy: 'Take a port out of ports: it can be forwarded privately all the same.',
            },
          ]
        : []),
    ],
  };
}

function network({ network }: ModalOptions): DriverPlacement['network'] {
  if (network === undefined || typeof network === 'string') return { mode: network ?? 'open' };
  return { mode: 'allowlist', allowed: [...(network.domains ?? []), ...(network.cidrs ?? [])] };
}
