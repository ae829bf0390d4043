import type { ConnectionOptions, DialContext, SshConnections } from '@petasos/backend-ssh/connection';
import type { HostInfo } from '@petasos/core/backend';
import { failure } from '../errors.js';
import { collect, type Machine } from './machine.js';

/** A machine on the way, such as a cluster's login node, over the ssh backend's connections. */
export async function sshMachine(options: ConnectionOptions, env: HostInfo['env'], context: DialContext): Promise<Machine> {
  const connections = await connect(options, env, context);
  const { host } = connections.target;
  return {
    title: host,
    run: async (argv, given = {}) => {
      const [program = '', ...args] = argv;
      return collect(await connections.spawn({ argv: [program, ...args], stdin: given.input !== undefined }), given);
    },
    spawn: (argv, stdin) => {
      const [program = '', ...args] = argv;
      return connections.spawn({ argv: [program, ...args], stdin });
    },
    close: () => connections.release(),
  };
}

/** Loaded at its first use: who has no machine on the way need not have the package. */
async function connect(options: ConnectionOptions, env: HostInfo['env'], context: DialContext): Promise<SshConnections> {
  const loaded = await import('@petasos/backend-ssh/connection').catch((cause: unknown) => {
    throw failure('unavailable', 'the option ssh needs the package @petasos/backend-ssh, which cannot be loaded', {
      operation: 'open',
      remedy: 'Install it beside Petasos: npm install @petasos/backend-ssh',
      cause,
    });
  });
  return loaded.connectionsTo(options, env, context);
}
