import { defineBackend, type HostInfo, isPetasosError, PetasosError, type Progress, type SandboxListing } from '@petasos/core/backend';
import { checkServer } from './check.js';
import { connectionsTo, describeTarget, type SshConnections } from './connection/index.js';
import { createDriver } from './driver.js';
import { optionsSchema, type SshOptions } from './options.js';
import { createRecord, listRecords, placeOfRef, removeRecord } from './records.js';

export type { SshOptions } from './options.js';

/** Commands run on another machine over SSH, all of them on warm connections. Any POSIX system with a `sh`. */
const ssh = defineBackend<SshOptions>({
  name: 'ssh',
  contract: 1,
  traits: {
    title: 'Another machine over SSH',
    isolation: 'that machine',
    startup: '< 1 s',
    cost: 'free (your machine)',
    persistence: 'its disk',
    goodFor: 'a development server, a build machine, a computer in the laboratory',
    suits: ['elsewhere'],
  },
  capabilities: {
    stdin: 'stream',
    streams: 'separate',
    bytes: 'bytes',
    terminal: true,
    files: 'native',
    pause: false,
    snapshot: false,
    reattach: true,
    forward: 'tcp',
    network: ['open'],
    limits: [],
    gpu: false,
    idleStop: false,
    persistent: true,
    root: false,
  },
  options: optionsSchema,
  secrets: ['SSH_AUTH_SOCK', 'TERMINAL_SSH_KEY'],

  check: checkServer,

  async create(options, spec) {
    if (spec.from !== undefined) {
      throw new PetasosError('unsupported', 'ssh does not support snapshot', {
        backend: 'ssh',
        operation: 'create',
        data: { capability: 'snapshot' },
      });
    }
    const connections = await connect(options, { ...spec, env: spec.hostEnv });
    return kept(connections, async () => createDriver(connections, await createRecord(connections, spec, spec.workdir ?? options.workdir)));
  },

  async attach(options, ref, context) {
    const connections = await connect(options, { ...context, env: context.hostEnv });
    return kept(connections, async () => {
      const present = await look(connections, ref.name);
      const found = present.find((one) => one.ref.id === ref.id);
      if (found !== undefined) return createDriver(connections, placeOfRef(found.ref));
      throw new PetasosError('sandbox-not-found', `${describeTarget(connections.target)} has no sandbox ${ref.name}`, {
        backend: 'ssh',
        operation: 'attach',
      });
    });
  },

  find: (options, name, host) => once(options, host, async (connections) => (await look(connections, name))[0]?.ref),
  list: (options, host) => once(options, host, (connections) => look(connections)),
  destroy: (options, ref, host) => once(options, host, (connections) => removeRecord(connections, ref)),
});

/** A connection that was kept may be lost without a word until it is used. Whoever only looks may look again, on a new one. */
async function look(connections: SshConnections, name?: string): Promise<readonly SandboxListing[]> {
  try {
    return await listRecords(connections, name);
  } catch (error) {
    if (!isPetasosError(error, 'disconnected')) throw error;
    return listRecords(connections, name);
  }
}

type Caller = Pick<HostInfo, 'env' | 'askSecret'> & {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
};

function connect(options: SshOptions, { env, askSecret, signal, onProgress }: Caller): Promise<SshConnections> {
  return connectionsTo(options, env, { askSecret, signal, onProgress });
}

/** The connections, let go of if nothing comes of them. */
async function kept<T>(connections: SshConnections, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    connections.release();
    throw error;
  }
}

async function once<T>(options: SshOptions, host: HostInfo, work: (connections: SshConnections) => Promise<T>): Promise<T> {
  const connections = await connect(options, host);
  try {
    return await work(connections);
  } finally {
    connections.release();
  }
}

export default ssh;
