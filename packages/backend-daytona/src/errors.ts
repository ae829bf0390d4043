import { type FailureVerdict, isPetasosError, PetasosError, type PetasosErrorCode, retryAfterMs } from '@petasos/core/backend';

/** What the SDK puts on its errors. They are read by their members: two copies of the SDK have two classes. */
interface Failure {
  readonly name: string;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly source: string | undefined;
  readonly retryAfterMs: number | undefined;
}

export function readFailure(error: unknown): Failure {
  const { name, statusCode, code, source, headers } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const header = (headers as Record<string, unknown> | undefined)?.['retry-after'];
  return {
    name: typeof name === 'string' ? name : '',
    status: typeof statusCode === 'number' ? statusCode : undefined,
    code: typeof code === 'string' ? code : undefined,
    source: typeof source === 'string' ? source : undefined,
    retryAfterMs: typeof header === 'string' ? retryAfterMs(header) : undefined,
  };
}

export function isMissing(error: unknown): boolean {
  return readFailure(error).status === 404;
}

/** The proxy's refusal of a request to a sandbox that is not started. */
export function isNotStarted(error: unknown): boolean {
  const { status, source } = readFailure(error);
  return status === 400 && source === 'DAYTONA_PROXY';
}

const unreachable = /^Daytona(Connection|ConnectionTimeout)Error$/;

/** The request did not arrive, or its answer did not. */
export function isUnreachable(error: unknown): boolean {
  return unreachable.test(readFailure(error).name);
}

/**
 * Failures after which the same request may be sent again, where sending it twice does no harm. The SDK itself repeats neither a 429 nor
 * a 5xx.
 */
export function judge(error: unknown): FailureVerdict {
  const failure = readFailure(error);
  if (failure.status === 429) return { retry: true, afterMs: failure.retryAfterMs, reason: 'rate limited' };
  if (failure.status === 502 || failure.status === 503 || failure.status === 504)
    return { retry: true, afterMs: failure.retryAfterMs, reason: `Daytona answered ${failure.status}` };
  if (unreachable.test(failure.name)) return { retry: true, reason: 'Daytona did not answer' };
  return { retry: false };
}

export interface ErrorContext {
  readonly operation: string;
  readonly sandbox: string;
}

/** Every failure of the SDK as an error of Petasos. */
export function asPetasosError(error: unknown, { operation, sandbox }: ErrorContext): PetasosError {
  if (isPetasosError(error)) return error;
  const { code, what, remedy } = meaning(readFailure(error), operation);
  const verdict = judge(error);
  const detail = error instanceof Error ? error.message : String(error);
  return new PetasosError(code, `daytona: ${operation} of the sandbox ${sandbox}: ${what}`, {
    backend: 'daytona',
    operation,
    retryable: verdict.retry,
    remedy,
    data: { sandbox, ...(detail !== '' && { detail }) },
    cause: error,
  });
}

interface Meaning {
  readonly code: PetasosErrorCode;
  readonly what: string;
  readonly remedy: string;
}

function meaning(failure: Failure, operation: string): Meaning {
  switch (failure.status) {
    case 401:
      return { code: 'credentials', what: 'Daytona does not accept the API key', remedy: 'Make a new key in the Daytona dashboard.' };
    case 402:
    case 403:
      return operation === 'create'
        ? {
            code: 'quota',
            what: 'Daytona allows no further sandbox',
            remedy: 'Look at the limits of the organisation and at the rights of the key; destroy sandboxes that nobody needs.',
          }
        : { code: 'credentials', what: 'the API key may not do this', remedy: 'Give the key the right in the Daytona dashboard.' };
    case 404:
      return operation === 'create' || operation === 'attach'
        ? { code: 'sandbox-not-found', what: 'there is none, or what it starts from does not exist', remedy: 'Look at petasos ls.' }
        : { code: 'destroyed', what: 'it does not exist any more', remedy: 'Open a new one.' };
    case 409:
      return operation === 'create'
        ? { code: 'sandbox-exists', what: 'the name is taken', remedy: 'Choose another name.' }
        : { code: 'place-failed', what: 'its state does not allow this', remedy: 'Try again when it is started.' };
    case 429:
      return { code: 'rate-limited', what: 'Daytona gets too many requests', remedy: 'Wait, or raise the tier of the organisation.' };
    case 502:
    case 503:
    case 504:
      return { code: 'unavailable', what: `Daytona answered ${failure.status}`, remedy: 'Try again; see https://status.daytona.io.' };
    default:
      return unreachable.test(failure.name)
        ? { code: 'disconnected', what: 'Daytona did not answer', remedy: 'Check the network and the address of the API.' }
        : { code: 'place-failed', what: 'Daytona refused', remedy: 'Look at data.detail for what Daytona said.' };
  }
}
