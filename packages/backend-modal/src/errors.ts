import { type FailureVerdict, isPetasosError, PetasosError, type PetasosErrorCode } from '@petasos/core/backend';
import { tokenRemedy } from './account.js';
import { retryAfterOf } from './throttle.js';

/** gRPC status codes that mean something here. */
const status = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** What a failure of the SDK means. `unreachable`: the service may or may not have acted. */
export type Failure = 'gone' | 'missing' | 'exists' | 'busy' | 'capacity' | 'credentials' | 'invalid' | 'unreachable' | 'timeout' | 'other';

const byStatus: Readonly<Record<number, Failure>> = {
  [status.cancelled]: 'unreachable',
  [status.unknown]: 'unreachable',
  [status.invalidArgument]: 'invalid',
  [status.deadlineExceeded]: 'unreachable',
  [status.notFound]: 'missing',
  [status.alreadyExists]: 'exists',
  [status.permissionDenied]: 'credentials',
  [status.resourceExhausted]: 'busy',
  [status.failedPrecondition]: 'gone',
  [status.internal]: 'unreachable',
  [status.unavailable]: 'unreachable',
  [status.unauthenticated]: 'credentials',
};

/** The SDK's classes by name: they do not have codes, and its gRPC error is not exported. */
const byName: Readonly<Record<string, Failure>> = {
  AlreadyExistsError: 'exists',
  ConflictError: 'gone',
  InvalidError: 'invalid',
  NotFoundError: 'missing',
  ResourceExhaustedError: 'capacity',
  SandboxTimeoutError: 'timeout',
  TimeoutError: 'timeout',
};

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return 'other';
  if (error.name === 'ClientError') return byStatus[(error as Error & { readonly code?: number }).code ?? -1] ?? 'other';
  return byName[error.name] ?? 'other';
}

/**
 * For requests that may be sent again as they are: they read, or a name or an id makes a second one the same as the first. The SDK itself has
 * tried an unreachable service four times already, for some seconds: here it is tried once more.
 */
export function judgeIdempotent(): (error: unknown) => FailureVerdict {
  let unreachable = 0;
  return (error) => {
    const failure = failureOf(error);
    if (failure === 'busy') return { retry: true, afterMs: retryAfterOf(error), reason: 'rate limited' };
    if (failure !== 'unreachable' || unreachable > 0) return { retry: false };
    unreachable += 1;
    return { retry: true, reason: 'the service does not answer' };
  };
}

const codes: Readonly<Record<Failure, PetasosErrorCode>> = {
  gone: 'destroyed',
  missing: 'sandbox-not-found',
  exists: 'sandbox-exists',
  busy: 'rate-limited',
  capacity: 'quota',
  credentials: 'credentials',
  invalid: 'invalid-request',
  unreachable: 'unavailable',
  timeout: 'unavailable',
  other: 'place-failed',
};

const remedies: Readonly<Partial<Record<Failure, string>>> = {
  gone: 'Open a new sandbox.',
  busy: 'Try again later, or ask Modal for a higher limit.',
  capacity: 'Try again later, in another region or with fewer resources.',
  credentials: tokenRemedy,
  unreachable: 'Check the network and https://status.modal.com, then try again.',
  timeout: 'Try again; raise the timeout if it goes on.',
};

/** The typed error for what the SDK threw. `what` begins the message: `the sandbox cannot be created`. */
export function translate(error: unknown, operation: string, what: string, code?: PetasosErrorCode): PetasosError {
  if (isPetasosError(error)) return error;
  const failure = failureOf(error);
  const said = error instanceof Error ? ((error as Error & { readonly details?: string }).details ?? error.message) : String(error);
  return new PetasosError(code ?? codes[failure], `modal: ${what}: ${said}`, {
    backend: 'modal',
    operation,
    retryable: failure === 'busy' || failure === 'capacity' || failure === 'unreachable' || failure === 'timeout',
    remedy: remedies[failure] ?? 'Look at the cause; report it if it is not yours.',
    cause: error,
  });
}
