import { isPetasosError, PetasosError, type PetasosErrorCode } from '@petasos/core/backend';
import { OutcomeUnknown, RateLimited } from './transport.js';

interface ServiceFailure {
  readonly status: number;
  readonly code: string | undefined;
  readonly message: string;
}

/** What the service said, when the SDK's error is about an answer. */
export function serviceFailure(error: unknown): ServiceFailure | undefined {
  if (typeof error !== 'object' || error === null || !('response' in error)) return undefined;
  const { response, json, message } = error as { response: unknown; json?: { error?: { code?: unknown } }; message?: unknown };
  if (typeof response !== 'object' || response === null || !('status' in response) || typeof response.status !== 'number') return undefined;
  const code = json?.error?.code;
  return { status: response.status, code: typeof code === 'string' ? code : undefined, message: String(message ?? '') };
}

/** The session is over or ending, and another one can be started. The request had no effect. */
export function isSessionOver(error: unknown): boolean {
  const failure = serviceFailure(error);
  if (failure === undefined || failure.code === 'snapshot_not_found') return false;
  return failure.status === 410 || (failure.status === 422 && /^sandbox_(stopping|snapshotting)$/.test(failure.code ?? ''));
}

interface Meaning {
  readonly code: PetasosErrorCode;
  readonly what: string;
  readonly remedy: string;
  readonly retryable?: boolean;
}

const lost: Meaning = {
  code: 'disconnected',
  what: 'the answer was lost',
  remedy: 'Try again when the service can be reached.',
  retryable: true,
};

const limited: Meaning = {
  code: 'rate-limited',
  what: 'Vercel refuses more requests for now',
  remedy: 'Wait a while, or ask for fewer sandboxes at a time.',
  retryable: true,
};

function meaningOf({ status, code }: ServiceFailure): Meaning {
  if (status === 401 || status === 403)
    return { code: 'credentials', what: 'Vercel refuses the credentials', remedy: 'Check token, team and project with petasos doctor.' };
  if (status === 402) return { code: 'quota', what: 'the plan of the team does not allow it', remedy: 'Look at the usage of the team.' };
  if (code === 'snapshot_not_found')
    return { code: 'destroyed', what: 'the snapshot with its files has expired or was deleted', remedy: 'Open a new sandbox.' };
  if (status === 404) return { code: 'destroyed', what: 'the sandbox is gone', remedy: 'Open a new one.' };
  if (status === 410 || status === 422) return { ...lost, what: 'the session is over' };
  if (status === 429) return limited;
  if (status >= 500) return { code: 'unavailable', what: `Vercel answered ${status}`, remedy: 'Try again later.', retryable: true };
  return { code: 'place-failed', what: `Vercel refused it (${status})`, remedy: 'Look at the cause for what the service said.' };
}

/** The typed error for whatever the SDK threw. */
export function vercelError(error: unknown, operation: string, sandbox: string): PetasosError {
  if (isPetasosError(error)) return error;
  const failure = serviceFailure(error);
  let meaning = lost;
  if (failure !== undefined) meaning = meaningOf(failure);
  else if (error instanceof RateLimited) meaning = limited;
  else if (!(error instanceof OutcomeUnknown) && error instanceof Error && error.name === 'AbortError')
    meaning = { code: 'aborted', what: 'it was aborted', remedy: 'Start it again when it is wanted.' };
  const said = failure?.message ? `: ${failure.message}` : '';
  return new PetasosError(meaning.code, `${operation} of the sandbox ${sandbox} of vercel: ${meaning.what}${said}`, {
    backend: 'vercel',
    operation,
    retryable: meaning.retryable ?? false,
    remedy: meaning.remedy,
    data: { ...(failure && { status: failure.status }), ...(failure?.code !== undefined && { code: failure.code }) },
    // An answer of the service stays out of it: it would show in a log with all its headers.
    ...(failure === undefined && { cause: error }),
  });
}
