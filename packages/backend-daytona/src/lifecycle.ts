import { randomUUID } from 'node:crypto';
import {
  type CreateSpec,
  type HostInfo,
  isPetasosError,
  PetasosError,
  type SandboxListing,
  type SandboxRef,
  withRetries,
} from '@petasos/core/backend';
import { connect, type Daytona, type Sandbox } from './client.js';
import { asPetasosError, isMissing, judge } from './errors.js';
import type { DaytonaOptions } from './options.js';
import { createLabel, createParameters } from './parameters.js';
import { ensureStarted, sandboxState } from './states.js';

/** Seconds until a new sandbox must be started; an image may have to be pulled and built. */
const createSeconds = 300;
const deleteSeconds = 60;

const host = (spec: CreateSpec): HostInfo => ({ env: spec.hostEnv, platform: process.platform });

/**
 * Makes one sandbox. The request is not safe to send twice and its answer may be lost, so every attempt but the first looks whether the one
 * before has succeeded after all: a name is unique, and a label tells whose it is.
 */
export async function createSandbox(
  options: DaytonaOptions,
  spec: CreateSpec,
): Promise<{ readonly client: Daytona; readonly sandbox: Sandbox }> {
  const client = await connect(options, host(spec), 'create');
  const nonce = randomUUID();
  const context = { operation: 'create', sandbox: spec.name };
  const settings = {
    backend: 'daytona',
    operation: 'create',
    judge,
    signal: spec.signal,
    onProgress: spec.onProgress,
    attempts: 10,
    waitAtMostMs: 120_000,
  };
  spec.onProgress?.({ step: 'creating the sandbox', detail: spec.name });
  let sent = false;
  try {
    const sandbox = await withRetries(async () => {
      if (sent) {
        const found = await ours(client, spec.name, nonce);
        if (found) return found;
      }
      const parameters = await createParameters(client, options, spec, nonce);
      sent = true;
      try {
        return await client.create(parameters, { timeout: createSeconds });
      } catch (error) {
        // The answer of the one before may have been late, not lost; and what was made may have failed to start.
        const found = judge(error).retry ? undefined : await ours(client, spec.name, nonce);
        if (found === undefined) throw error;
        return found;
      }
    }, settings);
    await ensureStarted({ sandbox, name: spec.name, operation: 'create', signal: spec.signal });
    if (spec.signal?.aborted)
      throw new PetasosError('aborted', 'creating a sandbox of daytona was aborted', { backend: 'daytona', operation: 'create' });
    return { client, sandbox };
  } catch (error) {
    if (sent) await abandon(client, spec.name, nonce);
    throw asPetasosError(error, context);
  }
}

/** The sandbox that this very creation has made. @throws `sandbox-exists` when the name is another's. */
async function ours(client: Daytona, name: string, nonce: string): Promise<Sandbox | undefined> {
  const found = await getByName(client, name);
  if (found === undefined || found.labels[createLabel] === nonce) return found;
  throw new PetasosError('sandbox-exists', `daytona already has a sandbox named ${name}`, { backend: 'daytona', operation: 'create' });
}

async function abandon(client: Daytona, name: string, nonce: string): Promise<void> {
  try {
    const found = await withRetries(() => ours(client, name, nonce), { backend: 'daytona', operation: 'create', judge });
    if (found) await remove(found);
  } catch {
    // What failed before says why; a sandbox that could not be removed is found by its labels.
  }
}

async function getByName(client: Daytona, idOrName: string): Promise<Sandbox | undefined> {
  try {
    return await client.get(idOrName);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function attachSandbox(
  options: DaytonaOptions,
  ref: SandboxRef,
  where: HostInfo,
  signal: AbortSignal | undefined,
): Promise<{ readonly client: Daytona; readonly sandbox: Sandbox }> {
  const client = await connect(options, where, 'attach');
  const settings = { backend: 'daytona', operation: 'attach', judge, signal };
  try {
    const sandbox = await withRetries(() => client.get(ref.id), settings);
    await ensureStarted({ sandbox, name: ref.name, operation: 'attach', signal });
    return { client, sandbox };
  } catch (error) {
    if (isMissing(error) || isPetasosError(error, 'destroyed'))
      throw new PetasosError('sandbox-not-found', `daytona has no sandbox ${ref.name} (${ref.id})`, {
        backend: 'daytona',
        operation: 'attach',
        remedy: 'Look at petasos ls.',
        cause: error,
      });
    throw asPetasosError(error, { operation: 'attach', sandbox: ref.name });
  }
}

export async function findSandbox(options: DaytonaOptions, name: string, where: HostInfo): Promise<SandboxRef | undefined> {
  const client = await connect(options, where, 'find');
  try {
    const found = await withRetries(() => getByName(client, name), { backend: 'daytona', operation: 'find', judge });
    if (found?.name !== name || found.labels['petasos.managed'] !== 'true' || sandboxState(found.state) === 'gone') return undefined;
    return refOf(found);
  } catch (error) {
    throw asPetasosError(error, { operation: 'find', sandbox: name });
  }
}

export async function listSandboxes(options: DaytonaOptions, where: HostInfo): Promise<SandboxListing[]> {
  const client = await connect(options, where, 'list');
  const once = async () => {
    const found: Sandbox[] = [];
    for await (const sandbox of client.list({ labels: { 'petasos.managed': 'true' }, limit: 200 })) found.push(sandbox);
    return found;
  };
  try {
    const found = await withRetries(once, { backend: 'daytona', operation: 'list', judge });
    return found
      .filter(({ state }) => sandboxState(state) !== 'gone')
      .map((sandbox) => ({
        ref: refOf(sandbox),
        state: sandboxState(sandbox.state),
        createdAt: new Date(sandbox.labels['petasos.created'] ?? sandbox.createdAt ?? 0),
        owner: sandbox.labels['petasos.owner'] ?? '',
        labels: Object.fromEntries(Object.entries(sandbox.labels).filter(([key]) => key !== 'code-toolbox-language')),
      }));
  } catch (error) {
    throw asPetasosError(error, { operation: 'list', sandbox: '*' });
  }
}

export async function destroySandbox(options: DaytonaOptions, ref: SandboxRef, where: HostInfo): Promise<void> {
  const client = await connect(options, where, 'destroy');
  try {
    const sandbox = await withRetries(() => getByName(client, ref.id), { backend: 'daytona', operation: 'destroy', judge });
    if (sandbox) await remove(sandbox);
    await removeSnapshots(client, ref);
  } catch (error) {
    throw asPetasosError(error, { operation: 'destroy', sandbox: ref.name });
  }
}

/** Deleting is safe to repeat; what is being deleted already answers 404 or 409, and is waited for. */
async function remove(sandbox: Sandbox): Promise<void> {
  await withRetries(() => sandbox.delete(deleteSeconds, true), { backend: 'daytona', operation: 'destroy', judge }).catch(
    (error: unknown) => {
      if (!isMissing(error)) throw error;
    },
  );
}

/** Names of a sandbox's snapshots: they end with it. */
export const snapshotPrefix = (ref: SandboxRef) => `petasos-${ref.id}-`;

async function removeSnapshots(client: Daytona, ref: SandboxRef): Promise<void> {
  const settings = { backend: 'daytona', operation: 'destroy', judge };
  const { items } = await withRetries(() => client.snapshot.list({ sourceSandboxId: ref.id, limit: 100 }), settings);
  for (const snapshot of items.filter(({ name }) => name.startsWith(snapshotPrefix(ref)))) {
    await withRetries(() => client.snapshot.delete(snapshot), settings).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }
}

export function refOf(sandbox: Sandbox): SandboxRef {
  return { backend: 'daytona', id: sandbox.id, name: sandbox.labels['petasos.name'] ?? sandbox.name };
}
