import { randomBytes } from 'node:crypto';
import { PetasosError, type Progress, withRetries } from '@petasos/core/backend';
import type { Image, Sandbox, SandboxCreateParams, Volume } from 'modal';
import { ask, type Catalog, type Life } from './catalog.js';
import { discard } from './end.js';
import { failureOf, judgeIdempotent, translate } from './errors.js';
import { keeperCommand } from './keeper.js';
import { defaultImage, longestLifeMs, type ModalOptions } from './options.js';

export interface LifeRequest {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly idleLimitMs: number;
  /** At most {@link longestLifeMs}. */
  readonly lifetimeMs: number;
  /** Image of a snapshot; without it the one of the options. */
  readonly from: string | undefined;
  /** Whether Modal takes a snapshot at its end. */
  readonly persistent: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
}

/** Tag with a word that no other creation has: by it a sandbox is known as ours when the answer to its creation was lost. */
const mark = 'petasos.creation';

/**
 * Makes a sandbox of Modal's, once, whatever becomes of the answers: its name can be taken only once, and its mark says by whom.
 * @throws `sandbox-exists` when another holds the name.
 */
export async function createLife(catalog: Catalog, options: ModalOptions, request: LifeRequest): Promise<Sandbox> {
  const { name, signal, onProgress } = request;
  const app = await catalog.app();
  const image = await findImage(catalog, options, request.from);
  onProgress?.({ step: 'building the image', detail: request.from ?? options.image ?? defaultImage });
  await ask('the image cannot be built', () => image.build(app));
  const word = randomBytes(12).toString('hex');
  const params = { ...(await parameters(catalog, options, request)), tags: { ...request.tags, [mark]: word } };
  onProgress?.({ step: 'starting the sandbox' });
  const mine = async (): Promise<Life | undefined> => {
    const found = await catalog.running(name);
    return found?.tags[mark] === word ? found : undefined;
  };
  const discardMine = async () => {
    const life = await mine();
    if (life) await discard(catalog, [life]);
  };
  const send = async (): Promise<Sandbox> => {
    refuseAborted(signal);
    const creating = catalog.client.sandboxes.create(app, image, params);
    try {
      return await abortable(creating, signal);
    } catch (error) {
      if (signal?.aborted) {
        // One that waits for a machine has a name already; ending it ends the wait.
        await discardMine().catch(() => {});
        await creating.then(discardMine).catch(() => {});
        throw aborted(signal.reason);
      }
      const failure = failureOf(error);
      const found = failure === 'exists' || failure === 'unreachable' ? await mine() : undefined;
      if (found) return found.sandbox;
      throw error;
    }
  };
  try {
    return await withRetries(send, { backend: 'modal', operation: 'create', judge: judgeIdempotent(), attempts: 10, signal, onProgress });
  } catch (error) {
    // The last answer may have been lost as well.
    await discardMine().catch(() => {});
    throw translate(
      error,
      'create',
      failureOf(error) === 'exists' ? `there is a sandbox named ${name} already` : 'the sandbox cannot be created',
    );
  }
}

/** @throws `sandbox-not-found` for a snapshot that does not exist (any more). */
async function findImage(catalog: Catalog, options: ModalOptions, from: string | undefined): Promise<Image> {
  if (from === undefined) return catalog.client.images.fromRegistry(options.image ?? defaultImage);
  return ask(`there is no snapshot ${from}`, () => catalog.client.images.fromId(from));
}

async function parameters(catalog: Catalog, options: ModalOptions, request: LifeRequest): Promise<SandboxCreateParams> {
  const { network } = options;
  const lists = typeof network === 'object' ? network : undefined;
  return {
    name: request.name,
    command: keeperCommand(request.idleLimitMs),
    timeoutMs: Math.min(longestLifeMs, Math.max(1000, Math.ceil(request.lifetimeMs / 1000) * 1000)),
    ...(options.cpus ? { cpu: options.cpus, cpuLimit: options.cpus } : {}),
    ...(options.memoryMiB ? { memoryMiB: options.memoryMiB, memoryLimitMiB: options.memoryMiB } : {}),
    ...(options.gpu ? { gpu: options.gpu } : {}),
    ...(options.region ? { regions: [options.region] } : {}),
    ...(options.ports?.length ? { encryptedPorts: [...options.ports] } : {}),
    ...(options.volumes?.length ? { volumes: await volumes(catalog, options.volumes) } : {}),
    ...(network === 'none' ? { blockNetwork: true } : {}),
    ...(lists ? { outboundDomainAllowlist: lists.domains ?? [], outboundCidrAllowlist: lists.cidrs ?? [] } : {}),
    ...(request.persistent ? { experimentalOptions: { enable_exit_snapshot: true } } : {}),
  };
}

async function volumes(catalog: Catalog, mounts: readonly string[]): Promise<Record<string, Volume>> {
  const found = mounts.map(async (mount): Promise<[string, Volume]> => {
    const [name = '', path = '', access] = mount.split(':');
    const volume = await ask(`the volume ${name} cannot be used`, () => catalog.client.volumes.fromName(name, { createIfMissing: true }));
    return [path, volume.withMountOptions({ readOnly: access === 'ro' })];
  });
  return Object.fromEntries(await Promise.all(found));
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal.reason);
}

function aborted(cause: unknown): PetasosError {
  return new PetasosError('aborted', 'modal: creating the sandbox was aborted', { backend: 'modal', operation: 'create', cause });
}

function abortable<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(aborted(signal.reason));
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
