import {
  type CheckFinding,
  credentialFinding,
  defineBackend,
  PetasosError,
  type SandboxListing,
  type SandboxRef,
} from '@petasos/core/backend';
import { connect } from './api.js';
import { credentialRemedy, credentialVariables, findCredentials } from './credentials.js';
import { readTags, vendorName } from './labels.js';
import { optionsSchema, type VercelOptions } from './options.js';

export type { VercelOptions } from './options.js';

/** Commands run in Vercel Sandboxes: microVMs on Vercel's machines. */
const vercel = defineBackend<VercelOptions>({
  name: 'vercel',
  contract: 1,
  traits: {
    title: 'Vercel Sandbox',
    isolation: 'microVM on another machine',
    startup: 'about a second',
    cost: 'by the second: busy CPU, memory',
    persistence: 'files, in a snapshot at every stop',
    goodFor: 'JavaScript and Python work, previews of a port, code that nobody has read',
    suits: ['javascript'],
  },
  capabilities: (options) => ({
    stdin: 'file',
    streams: 'merged',
    bytes: 'text',
    terminal: true,
    files: 'native',
    pause: options.persistent === false ? false : 'disk',
    snapshot: 'new-sandbox',
    reattach: true,
    forward: 'url',
    network: ['open', 'none', 'allowlist'],
    limits: ['cpu', 'memory'],
    gpu: false,
    idleStop: false,
    persistent: options.persistent !== false,
    root: true,
  }),
  options: optionsSchema,
  secrets: credentialVariables,

  async check(options, host) {
    const choice = await findCredentials(options, host.env);
    const findings: CheckFinding[] = [credentialFinding('vercel', choice, credentialRemedy), await sdkFinding()];
    if (options.apiUrl !== undefined || host.env.PETASOS_VERCEL_API_URL)
      findings.push({
        id: 'vercel.address',
        status: 'warning',
        message: `sandboxes are asked for at ${options.apiUrl ?? host.env.PETASOS_VERCEL_API_URL}, which is not Vercel`,
        remedy: 'Leave out apiUrl and PETASOS_VERCEL_API_URL, unless you mean an emulator.',
      });
    return findings;
  },

  async create(options, spec) {
    const [api, { createPlace }, { createDriver }] = await Promise.all([
      connect(options, spec.hostEnv, 'create', spec.onProgress),
      import('./create.js'),
      import('./driver.js'),
    ]);
    spec.onProgress?.({ step: 'making a Vercel Sandbox' });
    const place = await createPlace(api, options, spec);
    const { workdir, idleLimitMs, lifetimeMs } = spec;
    return createDriver(place, { options, workdir, idleLimitMs, lifetimeMs });
  },

  async attach(options, ref, context) {
    const [api, { VercelPlace }, { createDriver }] = await Promise.all([
      connect(options, context.hostEnv, 'attach', context.onProgress),
      import('./place.js'),
      import('./driver.js'),
    ]);
    const sandbox = await api.get(await vendorName(ref.name), { signal: context.signal });
    const tags = readTags(sandbox?.tags);
    if (sandbox === undefined || tags?.id !== ref.id) throw notFound(ref);
    const idleLimitMs = Number(tags.labels['petasos.idle-limit-ms']) || undefined;
    const place = new VercelPlace(api, sandbox, { id: ref.id, name: ref.name });
    return createDriver(place, { options, idleLimitMs });
  },

  async find(options, name, host) {
    const api = await connect(options, host.env, 'find');
    const sandbox = await api.get(await vendorName(name));
    if (sandbox === undefined) return undefined;
    const tags = readTags(sandbox.tags);
    if (tags !== undefined) return { backend: 'vercel', id: tags.id, name };
    throw new PetasosError('sandbox-exists', `the name ${sandbox.name} is taken in the project by a sandbox that Petasos has not made`, {
      backend: 'vercel',
      operation: 'find',
      remedy: 'Choose another name, or delete that sandbox.',
    });
  },

  async list(options, host) {
    const [api, { stateOf }] = await Promise.all([connect(options, host.env, 'list'), import('./place.js')]);
    const listings: SandboxListing[] = [];
    for (const { name, tags, createdAt, status } of await api.list()) {
      const ours = readTags(tags);
      if (ours === undefined) continue;
      const { id, labels } = ours;
      listings.push({
        ref: { backend: 'vercel', id, name: labels['petasos.name'] ?? name },
        state: stateOf(status),
        createdAt: new Date(createdAt),
        owner: labels['petasos.owner'] ?? '',
        labels,
      });
    }
    return listings;
  },

  async destroy(options, ref, host) {
    const [api, { serviceFailure, vercelError }] = await Promise.all([connect(options, host.env, 'destroy'), import('./errors.js')]);
    const sandbox = await api.get(await vendorName(ref.name));
    if (sandbox === undefined || readTags(sandbox.tags)?.id !== ref.id) return;
    await sandbox.delete({ deleteOrphanSnapshots: true }).catch((error: unknown) => {
      if (serviceFailure(error)?.status !== 404) throw vercelError(error, 'destroy', ref.name);
    });
  },
});

function notFound(ref: SandboxRef): PetasosError {
  return new PetasosError('sandbox-not-found', `vercel has no sandbox ${ref.name}`, { backend: 'vercel', operation: 'attach' });
}

async function sdkFinding(): Promise<CheckFinding> {
  const { sdk, sdkName, sdkVersion } = await import('./sdk.js');
  try {
    await sdk();
    return { id: 'vercel.sdk', status: 'ok', message: `${sdkName} ${sdkVersion} is installed` };
  } catch (error) {
    const remedy = error instanceof PetasosError ? error.remedy : undefined;
    return { id: 'vercel.sdk', status: 'failed', message: String(error instanceof Error ? error.message : error), remedy };
  }
}

export default vercel;
