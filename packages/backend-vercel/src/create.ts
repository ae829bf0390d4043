import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type CreateSpec, PetasosError } from '@petasos/core/backend';
import type { Sandbox } from '@vercel/sandbox';
import type { VercelApi } from './api.js';
import { serviceFailure, vercelError } from './errors.js';
import { readTags, tagsOf, vendorName } from './labels.js';
import { sessionMs } from './lease.js';
import { type VercelOptions, vcpusOf } from './options.js';
import { VercelPlace } from './place.js';

const defaultSnapshots = 10;
/** How long a sandbox whose making was not answered may take to show. */
const showMs = 10_000;
const refusedShowMs = 500;

/** Makes the sandbox once, whatever happens to the answer. @throws `sandbox-exists` and what the service refuses. */
export async function createPlace(api: VercelApi, options: VercelOptions, spec: CreateSpec): Promise<VercelPlace> {
  const id = randomBytes(16).toString('hex');
  const name = await vendorName(spec.name);
  const params = { ...parametersOf(options, spec), name, tags: tagsOf(id, spec.labels) };
  try {
    return new VercelPlace(api, await api.create(params), { id, name: spec.name });
  } catch (error) {
    const made = await madeAfterAll(api, name, id, error, spec.signal);
    if (made !== undefined) return new VercelPlace(api, made, { id, name: spec.name });
    throw refusal(error, spec);
  }
}

function parametersOf(options: VercelOptions, spec: CreateSpec) {
  const vcpus = vcpusOf(options);
  const { persistent = true, keepSnapshots = defaultSnapshots, region, runtime, image, ports = [] } = options;
  return {
    ports,
    timeout: sessionMs(options, spec.lifetimeMs),
    persistent,
    networkPolicy: networkPolicyOf(options),
    ...(persistent && { keepLastSnapshots: { count: keepSnapshots, deleteEvicted: true } }),
    ...(vcpus !== undefined && { resources: { vcpus } }),
    ...(region !== undefined && { region: region as 'iad1' }),
    ...(spec.signal && { signal: spec.signal }),
    // A snapshot has its own runtime: naming one beside it is refused.
    ...(spec.from !== undefined ? { source: { type: 'snapshot', snapshotId: spec.from } as const } : imageOf(runtime, image)),
  };
}

function imageOf(runtime: string | undefined, image: string | undefined) {
  if (image !== undefined) return { image };
  return runtime ? { runtime } : {};
}

function networkPolicyOf({ network = 'open' }: VercelOptions) {
  if (network === 'open') return 'allow-all' as const;
  if (network === 'none') return 'deny-all' as const;
  return { allow: network.domains ?? [], ...(network.cidrs && { subnets: { allow: network.cidrs } }) };
}

/** A request without an answer, or one that was refused, may have been the second of two: the id tells whose sandbox it is. */
async function madeAfterAll(
  api: VercelApi,
  name: string,
  id: string,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<Sandbox | undefined> {
  const failure = serviceFailure(error);
  const aborted = signal?.aborted === true;
  // A refusal says whether the name is taken; an abort may have come too late.
  if (failure !== undefined && failure.status < 500 && ![400, 409, 422].includes(failure.status)) return undefined;
  if (failure === undefined && vercelError(error, 'create', name).code === 'rate-limited') return undefined;
  // Another one may have the name already although its sandbox does not show yet.
  if (failure?.status === 409) throw taken(name);
  const deadline = performance.now() + (failure === undefined ? showMs : refusedShowMs);
  for (let pauseMs = 250; ; pauseMs *= 2) {
    const found = await api.get(name).catch(() => undefined);
    const owner = found && readTags(found.tags)?.id;
    if (found !== undefined && owner === id) {
      if (!aborted) return found;
      await found.delete({ deleteOrphanSnapshots: true });
      return undefined;
    }
    if (found !== undefined) throw taken(name);
    if (performance.now() + pauseMs > deadline) return undefined;
    await delay(pauseMs);
  }
}

function taken(name: string): PetasosError {
  return new PetasosError('sandbox-exists', `vercel already has a sandbox named ${name}`, { backend: 'vercel', operation: 'create' });
}

function refusal(error: unknown, { name, from }: CreateSpec): PetasosError {
  const failure = serviceFailure(error);
  const details = { backend: 'vercel', operation: 'create' } as const;
  if (from !== undefined && (failure?.code === 'snapshot_not_found' || failure?.status === 404)) {
    return new PetasosError('sandbox-not-found', `vercel has no snapshot ${JSON.stringify(from)}`, {
      ...details,
      remedy: 'It may have expired: snapshots live as long as the service or the sandbox they were made of keeps them.',
    });
  }
  if (failure?.status === 400)
    return new PetasosError('invalid-options', `vercel refuses to make the sandbox ${name}: ${failure.message}`, {
      ...details,
      remedy: 'Correct the options.',
    });
  return vercelError(error, 'create', name);
}
