/** Every code an embedder can branch on. A code never changes its meaning; new ones may be added. */
export type PetasosErrorCode =
  | 'invalid-request'
  | 'invalid-options'
  | 'unsupported'
  | 'contract-mismatch'
  | 'cwd-not-found'
  | 'cwd-not-accessible'
  | 'sandbox-not-found'
  | 'sandbox-exists'
  | 'closed'
  | 'destroyed'
  | 'disconnected'
  | 'unavailable'
  | 'credentials'
  | 'host-key'
  | 'quota'
  | 'rate-limited'
  | 'place-failed'
  | 'no-space'
  | 'not-approved'
  | 'aborted'
  | 'init-failed'
  | 'job-not-found'
  | 'job-input-closed'
  | 'file-not-found'
  | 'file-exists'
  | 'file-is-directory'
  | 'file-not-directory'
  | 'file-permission'
  | 'hostile-archive'
  | 'internal';

export interface PetasosErrorDetails {
  /** Name of the backend the failure belongs to, such as `docker`. */
  backend?: string | undefined;
  /** What was being done, such as `exec` or `files.read`. */
  operation?: string | undefined;
  /** True only when the same call may succeed later without anybody changing anything. */
  retryable?: boolean | undefined;
  /** What a person can do about it: one sentence, in the imperative. */
  remedy?: string | undefined;
  /** Machine-readable facts: a path, a capability, a host. Never a secret. */
  data?: Readonly<Record<string, string | number | boolean>> | undefined;
  cause?: unknown;
}

const brand = Symbol.for('petasos.error');

/**
 * The one error class of Petasos. It means that the *place* failed or that the request was wrong; a command that
 * fails is a result, not an error. Use {@link isPetasosError} instead of `instanceof`: two copies of this package can
 * be loaded side by side.
 */
export class PetasosError extends Error {
  override readonly name = 'PetasosError';
  readonly code: PetasosErrorCode;
  readonly backend: string | undefined;
  readonly operation: string | undefined;
  readonly retryable: boolean;
  readonly remedy: string | undefined;
  readonly data: Readonly<Record<string, string | number | boolean>>;

  constructor(code: PetasosErrorCode, message: string, details: PetasosErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    Object.defineProperty(this, brand, { value: true });
    this.code = code;
    this.backend = details.backend;
    this.operation = details.operation;
    this.retryable = details.retryable ?? false;
    this.remedy = details.remedy;
    this.data = details.data ?? {};
  }
}

export function isPetasosError(value: unknown, code?: PetasosErrorCode): value is PetasosError {
  if (typeof value !== 'object' || value === null) return false;
  if ((value as Record<symbol, unknown>)[brand] !== true) return false;
  return code === undefined || (value as PetasosError).code === code;
}

/** The error for using a capability that the backend does not declare: it names both. */
export function unsupported(backend: string, capability: string, operation: string): PetasosError {
  return new PetasosError('unsupported', `${backend} does not support ${capability}`, {
    backend,
    operation,
    data: { capability },
    remedy: `Choose a backend that declares ${capability}; petasos backends lists them.`,
  });
}
