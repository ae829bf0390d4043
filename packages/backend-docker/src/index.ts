import { defineBackend, type HostInfo, sandboxOwner } from '@petasos/core/backend';
import { reviveContainer } from './attach.js';
import { checkDocker } from './check.js';
import { isPersistent, isRoot, userOf } from './container/spec.js';
import { createContainer } from './create.js';
import { destroyContainer } from './destroy.js';
import { createDriver } from './driver.js';
import { Engine } from './engine/engine.js';
import { obtainImage } from './image/obtain.js';
import { findContainer, listContainers } from './list.js';
import { type DockerOptions, optionsSchema } from './options.js';

export type { DockerOptions } from './options.js';

const hostOf = (env: HostInfo['env']): HostInfo => ({ env, platform: process.platform });

/** Commands run in a container of a Docker or Podman engine, hardened unless the options loosen it. */
const docker = defineBackend<DockerOptions>({
  name: 'docker',
  contract: 1,
  traits: {
    title: 'A container',
    isolation: 'container, hardened',
    startup: 'about a second',
    cost: 'free',
    persistence: 'until destroyed',
    goodFor: 'agents on a developer’s machine or a server',
    suits: ['isolated'],
  },
  capabilities: (options) => ({
    stdin: 'stream',
    streams: 'separate',
    bytes: 'bytes',
    terminal: true,
    files: 'derived',
    pause: 'memory',
    // What is in memory is not in an image.
    snapshot: options.readOnly ? false : 'new-sandbox',
    reattach: true,
    forward: 'tcp',
    network: ['open', 'none'],
    limits: ['cpu', 'memory', 'pids'],
    gpu: options.gpus !== undefined,
    idleStop: true,
    persistent: isPersistent(options),
    root: isRootPromised(options),
  }),
  options: optionsSchema,
  secrets: ['DOCKER_AUTH_CONFIG'],

  check: (options, host) => checkDocker(options, host),

  async prepare(options, { host, signal, onProgress }) {
    await obtainImage(await Engine.of(options, host), options, { host, signal, onProgress });
  },

  async create(options, spec) {
    const engine = await Engine.of(options, hostOf(spec.hostEnv));
    const made = await createContainer(engine, options, spec);
    return createDriver({ engine, options, hostEnv: spec.hostEnv, ...made, fresh: true });
  },

  async attach(options, ref, { hostEnv }) {
    const engine = await Engine.of(options, hostOf(hostEnv));
    const container = await reviveContainer(engine, ref);
    return createDriver({
      engine,
      ref: { backend: 'docker', id: container.Id, name: ref.name },
      options,
      hostEnv,
      container,
      fresh: false,
    });
  },

  find: async (options, name, host) => findContainer(await Engine.of(options, host), name, sandboxOwner()),
  list: async (options, host) => listContainers(await Engine.of(options, host)),
  destroy: async (options, ref, host) => destroyContainer(await Engine.of(options, host), ref),
});

/** Without a word on the user the image decides, and no image can be asked here. */
function isRootPromised(options: DockerOptions): boolean {
  const user = userOf(options);
  return user !== undefined && isRoot(user);
}

export default docker;
