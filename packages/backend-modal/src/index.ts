import { type CheckFinding, credentialFinding, defineBackend, isPetasosError } from '@petasos/core/backend';
import { chooseAccount, secretVariables, tokenRemedy } from './account.js';
import { ask, Catalog, type Life } from './catalog.js';
import { createDriver } from './driver.js';
import { discard } from './end.js';
import { defaultImage, type ModalOptions, optionsSchema } from './options.js';
import { Place } from './place.js';
import { asleepByName, listAll, refOf, tag } from './records.js';
import { loadModal, sdkVersion } from './sdk.js';

export type { ModalOptions } from './options.js';

/** Commands run in sandboxes of Modal's. */
const modal = defineBackend<ModalOptions>({
  name: 'modal',
  contract: 1,
  traits: {
    title: 'Modal',
    isolation: 'gVisor sandbox on another machine',
    startup: 'seconds',
    cost: 'by the second: CPU, memory, GPU',
    persistence: 'files, in a snapshot at the end; 24 h in one piece',
    goodFor: 'GPUs, many sandboxes at once, code that nobody has read',
    suits: ['bursts'],
  },
  capabilities: (options) => ({
    stdin: 'stream',
    stdinOutlivesClient: true,
    streams: 'separate',
    bytes: 'bytes',
    terminal: true,
    files: 'native',
    pause: 'disk',
    snapshot: 'new-sandbox',
    reattach: true,
    forward: 'url',
    network: ['open', 'none', 'allowlist'],
    limits: [...(options.cpus ? (['cpu'] as const) : []), ...(options.memoryMiB ? (['memory'] as const) : [])],
    gpu: options.gpu !== undefined,
    idleStop: true,
    persistent: options.persistent !== false,
    root: true,
  }),
  options: optionsSchema,
  secrets: secretVariables,

  async check(options, host) {
    const findings: CheckFinding[] = [await sdkFinding()];
    try {
      const { choice } = await chooseAccount(options, host.env);
      findings.push(credentialFinding('modal', choice, tokenRemedy));
      if (choice.chosen && findings[0]?.status !== 'failed') findings.push(await connectionFinding(options, host.env));
    } catch (error) {
      findings.push(failed('modal.credentials', error));
    }
    return findings;
  },

  async prepare(options, { host, onProgress }) {
    const catalog = await Catalog.open(options, host.env, 'prepare');
    const image = options.image ?? defaultImage;
    onProgress?.({ step: 'building the image', detail: image });
    const app = await catalog.app();
    await ask(`the image ${image} cannot be built`, () => catalog.client.images.fromRegistry(image).build(app));
  },

  async create(options, spec) {
    return createDriver(await Place.create(await Catalog.open(options, spec.hostEnv, 'create'), options, spec));
  },

  async attach(options, ref, context) {
    return createDriver(await Place.attach(await Catalog.open(options, context.hostEnv, 'attach'), options, ref, context));
  },

  async find(options, name, host) {
    const catalog = await Catalog.open(options, host.env, 'find');
    const running = await catalog.running(name);
    if (running?.tags[tag.managed] === 'true') return refOf(running);
    const asleep = options.persistent === false ? undefined : await asleepByName(catalog, name);
    return asleep && refOf(asleep);
  },

  async list(options, host) {
    return listAll(await Catalog.open(options, host.env, 'list'));
  },

  async destroy(options, ref, host) {
    const catalog = await Catalog.open(options, host.env, 'destroy');
    const lives: Life[] = [];
    for await (const life of catalog.lives({ [tag.id]: ref.id }, true)) lives.push(life);
    await discard(catalog, lives);
  },
});

async function sdkFinding(): Promise<CheckFinding> {
  try {
    await loadModal();
    return { id: 'modal.sdk', status: 'ok', message: `Modal’s SDK ${sdkVersion} is installed` };
  } catch (error) {
    return failed('modal.sdk', error);
  }
}

async function connectionFinding(options: ModalOptions, env: Parameters<typeof Catalog.open>[1]): Promise<CheckFinding> {
  try {
    const { client } = await Catalog.open(options, env, 'check');
    await ask('the token cannot be checked', () => client.cpClient.authTokenGet({}));
    return { id: 'modal.connection', status: 'ok', message: 'Modal answers and takes the token' };
  } catch (error) {
    return failed('modal.connection', error);
  }
}

function failed(id: string, error: unknown): CheckFinding {
  const remedy = (isPetasosError(error) ? error.remedy : undefined) ?? 'Look at the message.';
  return { id, status: 'failed', message: error instanceof Error ? error.message : String(error), remedy };
}

export default modal;
