import { type CheckFinding, credentialFinding, defineBackend, isPetasosError } from '@petasos/core/backend';
import { loadDaytona, sdkPackage, sdkVersion } from './client.js';
import { credentialRemedy, findAccess } from './credentials.js';
import { createDriver } from './driver.js';
import { attachSandbox, createSandbox, destroySandbox, findSandbox, listSandboxes } from './lifecycle.js';
import { type DaytonaOptions, optionsSchema } from './options.js';

export type { DaytonaOptions } from './options.js';

/** Commands run in a sandbox at Daytona, or at a service of your own that speaks its protocol. */
const daytona = defineBackend<DaytonaOptions>({
  name: 'daytona',
  contract: 1,
  traits: {
    title: 'A sandbox at Daytona',
    isolation: 'container on a machine of theirs',
    startup: 'seconds',
    cost: 'by the second; stopped: disk alone',
    persistence: 'disk, until destroyed; snapshots',
    goodFor: 'long-lived work away from your machine that is stopped and resumed',
    suits: ['long-lived'],
  },
  capabilities: {
    stdin: 'file',
    streams: 'merged',
    bytes: 'text',
    terminal: true,
    files: 'native',
    pause: 'disk',
    snapshot: 'new-sandbox',
    reattach: true,
    forward: 'url',
    network: ['open', 'none', 'allowlist'],
    limits: [],
    gpu: false,
    // Daytona stops by requests alone: a job without a client would not keep its sandbox awake.
    idleStop: false,
    persistent: true,
    root: true,
  },
  options: optionsSchema,
  secrets: ['DAYTONA_API_KEY', 'DAYTONA_JWT_TOKEN'],

  async check(options, host) {
    const access = await findAccess(options, host);
    return [
      credentialFinding('daytona', access.choice, credentialRemedy),
      {
        id: 'daytona.endpoint',
        status: 'ok',
        message: `daytona talks to ${access.apiUrl} (from ${access.apiUrlFrom}), region ${access.region}`,
      },
      await sdkFinding(),
    ];
  },

  async create(options, spec) {
    const { client, sandbox } = await createSandbox(options, spec);
    return createDriver(client, sandbox, options);
  },

  async attach(options, ref, { hostEnv, signal }) {
    const { client, sandbox } = await attachSandbox(options, ref, { env: hostEnv, platform: process.platform }, signal);
    return createDriver(client, sandbox, options);
  },

  find: findSandbox,
  list: listSandboxes,
  destroy: destroySandbox,
});

async function sdkFinding(): Promise<CheckFinding> {
  const id = 'daytona.sdk';
  try {
    await loadDaytona();
    return { id, status: 'ok', message: `${sdkPackage} can be loaded; this backend was proven with ${sdkVersion}` };
  } catch (error) {
    if (!isPetasosError(error)) throw error;
    return { id, status: 'failed', message: error.message, remedy: error.remedy };
  }
}

export default daytona;
