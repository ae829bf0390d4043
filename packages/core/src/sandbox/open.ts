import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Backend,
  type Capabilities,
  CONTRACT_VERSION,
  type CreateSpec,
  capabilitiesOf,
  type Driver,
  type HostInfo,
  isPetasosError,
  PetasosError,
  type SandboxRef,
  unsupported,
} from '../contract/index.js';
import { SpillDirectory } from '../engine/capture.js';
import { createEngine } from '../engine/create-engine.js';
import { checkEnvironment } from '../engine/environment.js';
import { forwardedVariables } from '../engine/forwarding.js';
import { sandboxOwner } from '../engine/owner.js';
import { Activity, Lifecycle, type SandboxCore } from './core.js';
import { describePlacement } from './describe.js';
import { denyUnapprovedLater } from './gate.js';
import { runInit } from './init.js';
import { checkOptions } from './requests.js';
import { awake, Rest } from './rest.js';
import { createSandbox } from './sandbox.js';
import type { OpenOptions, Sandbox } from './types.js';

const sandboxName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const defaultIdleLimitMs = 300_000;

/**
 * Creates the sandbox, or attaches to the one of that name, and says which in `origin`.
 * @throws `contract-mismatch`, `invalid-options`, `invalid-request`, and whatever the place reports.
 */
export async function open<Options>(backend: Backend<Options>, options: OpenOptions = {}): Promise<Sandbox> {
  checkContract(backend);
  checkOptions('open', options);
  const name = checkName(options.name);
  const hostEnv = options.hostEnv ?? process.env;
  const host: HostInfo = { env: hostEnv, platform: process.platform, askSecret: options.askSecret };
  const backendOptions = await validateOptions(backend, options.options);
  const capabilities = capabilitiesOf(backend, backendOptions);
  if (options.from !== undefined && !capabilities.snapshot) throw unsupported(backend.name, 'snapshot', 'open');
  checkEnvironment(options.env ?? {});
  const forwarded = forwardedVariables({
    hostEnv,
    passthrough: options.envPassthrough ?? [],
    force: options.envForce ?? [],
    secrets: backend.secrets,
  });
  refuseAborted(backend.name, options.signal);

  const found = await obtain(backend, backendOptions, options, name, host);
  const core = createCore(backend, backendOptions, host, capabilities, found.driver, options, forwarded);
  const sandbox = createSandbox(core, { origin: found.origin, named: options.name !== undefined });
  // Whoever attaches while another process is at it starts no second run.
  if (options.init && found.made) {
    try {
      await runInit(core, sandbox, options.init, options.signal);
      refuseAborted(backend.name, options.signal);
    } catch (error) {
      await sandbox.destroy();
      refuseAborted(backend.name, options.signal, error);
      throw error;
    }
  }
  return sandbox;
}

function checkContract(backend: { readonly name: string; readonly contract: number }): void {
  if (backend.contract === CONTRACT_VERSION) return;
  throw new PetasosError(
    'contract-mismatch',
    `the backend ${backend.name} follows contract ${backend.contract}; this Petasos speaks contract ${CONTRACT_VERSION}`,
    {
      backend: backend.name,
      operation: 'open',
      remedy: `Install a version of the backend for contract ${CONTRACT_VERSION}, or another version of @petasos/core.`,
    },
  );
}

function checkName(name: string | undefined): string {
  if (name === undefined) return `p-${randomBytes(6).toString('hex')}`;
  if (sandboxName.test(name)) return name;
  throw new PetasosError('invalid-request', `${JSON.stringify(name)} cannot be the name of a sandbox`, {
    operation: 'open',
    remedy: 'Use letters, digits, ".", "_" and "-", at most 63, starting with a letter or digit.',
  });
}

/** @throws `invalid-options` naming every option that is wrong. */
export async function validateOptions<Options>(backend: Backend<Options>, options: unknown): Promise<Options> {
  const result = await backend.options['~standard'].validate(options);
  if (!result.issues) return result.value;
  const problems = result.issues.map((issue) => {
    const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return path ? `${path}: ${issue.message}` : issue.message;
  });
  throw new PetasosError('invalid-options', `options of ${backend.name}: ${problems.join('; ')}`, {
    backend: backend.name,
    operation: 'open',
  });
}

function refuseAborted(backend: string, signal: AbortSignal | undefined, cause?: unknown): void {
  if (signal?.aborted)
    throw new PetasosError('aborted', `opening a sandbox of ${backend} was aborted`, { backend, operation: 'open', cause });
}

interface Found {
  readonly driver: Driver;
  readonly origin: Sandbox['origin'];
  /** By this call: it was not there before, awake or asleep. */
  readonly made: boolean;
}

/** Two processes that open one name at once: one creates, the other finds the name taken and attaches. */
async function obtain<Options>(
  backend: Backend<Options>,
  backendOptions: Options,
  options: OpenOptions,
  name: string,
  host: HostInfo,
): Promise<Found> {
  const context = { hostEnv: host.env, askSecret: host.askSecret, signal: options.signal, onProgress: options.onProgress };
  const deadline = performance.now() + 30_000;
  for (;;) {
    const ref = options.name === undefined ? undefined : await findSandbox(backend, backendOptions, name, host);
    try {
      if (ref) {
        const driver = await backend.attach(backendOptions, ref, context);
        return { driver, origin: driver.restored ? 'restored' : 'attached', made: false };
      }
      const driver = await backend.create(backendOptions, createSpec(options, name, host));
      return { driver, origin: options.from === undefined ? 'created' : 'restored', made: true };
    } catch (error) {
      refuseAborted(backend.name, options.signal, error);
      const raced = isPetasosError(error, 'sandbox-exists') || (ref !== undefined && isPetasosError(error, 'sandbox-not-found'));
      if (!raced || options.name === undefined || performance.now() > deadline) throw error;
      await delay(50);
      refuseAborted(backend.name, options.signal);
    }
  }
}

/** The sandbox that `open` attaches to for this name; undefined: it would make one. */
export async function findSandbox<Options>(
  backend: Backend<Options>,
  options: Options,
  name: string,
  host: HostInfo,
): Promise<SandboxRef | undefined> {
  if (backend.find) return backend.find(options, name, host);
  const listed = await backend.list(options, host);
  return listed.find((listing) => listing.ref.name === name && listing.state !== 'gone')?.ref;
}

function createSpec(options: OpenOptions, name: string, host: HostInfo): CreateSpec {
  const idleLimitMs = options.idleLimitMs ?? defaultIdleLimitMs;
  return {
    name,
    named: options.name !== undefined,
    labels: {
      ...options.labels,
      'petasos.managed': 'true',
      'petasos.name': name,
      'petasos.owner': sandboxOwner(),
      'petasos.created': new Date().toISOString(),
      'petasos.idle-limit-ms': String(idleLimitMs),
    },
    workdir: options.workdir,
    idleLimitMs,
    lifetimeMs: options.lifetimeMs,
    from: options.from,
    hostEnv: host.env,
    askSecret: host.askSecret,
    signal: options.signal,
    onProgress: options.onProgress,
  };
}

function createCore<Options>(
  backend: Backend<Options>,
  backendOptions: Options,
  host: HostInfo,
  capabilities: Capabilities,
  driver: Driver,
  options: OpenOptions,
  forwarded: Record<string, string>,
): SandboxCore {
  const rest = new Rest(driver);
  const partial = {
    backend: backend as Backend<unknown>,
    backendOptions,
    host,
    capabilities,
    driver,
    ...awake(createEngine(driver, capabilities), rest),
    rest,
    gate: options.gate ?? denyUnapprovedLater(),
    env: { ...forwarded, ...options.env },
    forwarded: Object.keys(forwarded),
    now: () => performance.now(),
    life: new Lifecycle(backend.name, driver.ref.name),
    activity: new Activity(),
    spills: new SpillDirectory(),
    async readFile(path: string, maxBytes: number) {
      const { exitCode, stdout } = await core.operator.operate('head -c "$2" -- "$1" 2>/dev/null', [path, String(maxBytes)]);
      return exitCode === 0 ? stdout : undefined;
    },
  };
  const core: SandboxCore = { ...partial, placement: () => describePlacement(partial) };
  return core;
}
