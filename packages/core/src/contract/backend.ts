import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Capabilities, Traits } from './capabilities.js';
import type { Driver, SandboxRef, SandboxState } from './driver.js';

/** The version of this contract. A backend that names another one is refused with a clear error. */
export const CONTRACT_VERSION = 1;

/** What `create` is asked to make. */
export interface CreateSpec {
  /** Letters, digits, `.`, `_` and `-`, at most 63, starting with a letter or digit; unique for one owner. */
  readonly name: string;
  /** Whether the caller chose the name. Nobody opens a sandbox without one again: nothing of it need be kept. Absent: it may be opened again. */
  readonly named?: boolean | undefined;
  /** Labels that the sandbox must carry, so that `list` finds it from any machine. Keys start with `petasos.`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly workdir?: string | undefined;
  /** Milliseconds without a command or a running job after which a sandbox without a client ends or stops. */
  readonly idleLimitMs: number;
  /** The sandbox ends after this many milliseconds whatever happens. */
  readonly lifetimeMs?: number | undefined;
  /** A snapshot id to start from. */
  readonly from?: string | undefined;
  /** Environment of the process that runs Petasos: the only place a backend may read variables from. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly askSecret?: AskSecret | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
}

/**
 * Asks a person for something that is not shown while it is typed, such as the passphrase of a key. `question` is one line.
 * Undefined: nobody answered. Absent where nobody can be asked.
 */
export type AskSecret = (question: string) => Promise<string | undefined>;

/** One step of something slow: an image pull, a queue, a build. */
export interface Progress {
  readonly step: string;
  readonly done?: number | undefined;
  readonly total?: number | undefined;
  readonly unit?: 'bytes' | 'items' | undefined;
  readonly detail?: string | undefined;
}

export interface SandboxListing {
  readonly ref: SandboxRef;
  readonly state: SandboxState;
  readonly createdAt: Date;
  readonly owner: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** One line of `doctor`. */
export interface CheckFinding {
  readonly id: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** What to do about it; present whenever the status is not `ok`. */
  readonly remedy?: string | undefined;
}

/** What `check` and `list` know about the machine that Petasos runs on. Injected, so that tests can pretend. */
export interface HostInfo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly askSecret?: AskSecret | undefined;
}

/** What a place can do under validated options. A method's type, so that a backend of particular options is a `Backend`. */
export type CapabilitiesUnder<Options> = { under(options: Options): Capabilities }['under'];

/** A kind of place. Its metadata can be read without loading an SDK, without credentials and without network. */
export interface Backend<Options = unknown> {
  readonly name: string;
  readonly contract: number;
  readonly traits: Traits;
  readonly capabilities: Capabilities | CapabilitiesUnder<Options>;
  readonly options: StandardSchemaV1<unknown, Options>;
  /** Names of variables that are this backend's credentials: never forwarded to a command. */
  readonly secrets: readonly string[];
  /** Findings for `doctor`. No side effects. */
  check(options: Options, host: HostInfo): Promise<readonly CheckFinding[]>;
  /** Gets slow things ready (an image), so that `create` is fast. */
  prepare?(options: Options, context: PrepareContext): Promise<void>;
  /** Makes a sandbox. Throws `sandbox-exists` when the name is taken: the engine then attaches. */
  create(options: Options, spec: CreateSpec): Promise<Driver>;
  /** Connects to a sandbox that exists. Throws `sandbox-not-found` when it does not. */
  attach(options: Options, ref: SandboxRef, context: AttachContext): Promise<Driver>;
  /** The sandbox of this name, where the place can tell faster than by listing all. */
  find?(options: Options, name: string, host: HostInfo): Promise<SandboxRef | undefined>;
  /** Every sandbox that carries our labels. */
  list(options: Options, host: HostInfo): Promise<readonly SandboxListing[]>;
  /** Removes the sandbox and all it left anywhere. Succeeds when there is none. */
  destroy(options: Options, ref: SandboxRef, host: HostInfo): Promise<void>;
}

export interface PrepareContext {
  readonly host: HostInfo;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
}

export interface AttachContext {
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly askSecret?: AskSecret | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
}

const backendName = /^[a-z][a-z0-9-]{0,31}$/;

/**
 * Checks the shape of a backend once, at definition, so that a mistake shows in the author's hands and not in a user's.
 * @throws TypeError for a name or member that cannot work.
 */
export function defineBackend<Options>(backend: Backend<Options>): Backend<Options> {
  if (!backendName.test(backend.name)) {
    throw new TypeError(`backend name ${JSON.stringify(backend.name)} must match ${backendName}`);
  }
  for (const method of ['check', 'create', 'attach', 'list', 'destroy'] as const) {
    if (typeof backend[method] !== 'function') throw new TypeError(`backend ${backend.name} lacks ${method}()`);
  }
  if (typeof backend.options?.['~standard']?.validate !== 'function') {
    throw new TypeError(`backend ${backend.name} needs options that follow Standard Schema v1`);
  }
  return backend;
}

/** The capabilities under these options; the options must have been validated. */
export function capabilitiesOf<Options>(backend: Backend<Options>, options: Options): Capabilities {
  return typeof backend.capabilities === 'function' ? backend.capabilities(options) : backend.capabilities;
}
