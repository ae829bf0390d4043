import { type Progress, retryAfterMs, withRetries } from '@petasos/core/backend';
import { wholeLines } from './lines.js';

/** The address that the SDK has built in. */
const sdkUrl = 'https://vercel.com/api';

/**
 * Requests that do something each time they arrive. The SDK repeats every request whose answer is lost, these too: one answer of 502
 * would run a command twice.
 */
const unsafe = /^\/(?:v\d+)\/sandboxes(?:$|\/[^/]+\/fork$|\/sessions\/[^/]+\/(?:cmd|snapshot|stop|extend-timeout)$)/;

/** Headers of an answer come at once; a request without any is lost. */
const headersMs = 90_000;
const attempts = 8;
const waitAtMostMs = 120_000;

/** The SDK does not repeat what fails with this name. */
class Final extends Error {
  override readonly name = 'AbortError';
}

/** Whether the service did what it was asked is not known. */
export class OutcomeUnknown extends Final {
  constructor(cause: unknown, status?: number) {
    super(status === undefined ? 'the connection was lost before an answer came' : `the service answered ${status}`, { cause });
  }
}

/** The service did nothing: too many requests. */
export class RateLimited extends Final {
  readonly afterMs: number | undefined;

  constructor(afterMs: number | undefined) {
    super('too many requests');
    this.afterMs = afterMs;
  }
}

export interface TransportSettings {
  readonly apiUrl: string;
  readonly onProgress?: ((event: Progress) => void) | undefined;
}

/** What the SDK is given as `fetch`: with it every request reaches the service once, and every line of an answer arrives whole. */
export function transport({ apiUrl, onProgress }: TransportSettings): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const url = new URL(String(input).replace(sdkUrl, apiUrl.replace(/\/$/, '')));
    const route = url.pathname.slice(new URL(apiUrl).pathname.replace(/\/$/, '').length);
    const once = init.method === 'POST' && unsafe.test(route);
    return withRetries(() => send(url, init, once), {
      backend: 'vercel',
      operation: `${init.method ?? 'GET'} ${route}`,
      // A request that was refused for its number has had no effect, whatever it was.
      judge: (error) => (error instanceof RateLimited ? { retry: true, afterMs: error.afterMs, reason: 'rate limited' } : { retry: false }),
      attempts,
      waitAtMostMs,
      signal: init.signal ?? undefined,
      onProgress,
    });
  };
}

async function send(url: URL, init: RequestInit, once: boolean): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${headersMs / 1000} s`)), headersMs);
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal: init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal });
  } catch (error) {
    if (init.signal?.aborted || !(once || late.signal.aborted)) throw error;
    throw new OutcomeUnknown(error);
  } finally {
    clearTimeout(timer);
  }
  if (response.status === 429) {
    await response.body?.cancel();
    throw new RateLimited(retryAfterMs(response.headers.get('retry-after')));
  }
  if (response.status >= 500 && once) {
    await response.body?.cancel();
    throw new OutcomeUnknown(undefined, response.status);
  }
  if (response.body === null || response.headers.get('content-type') !== 'application/x-ndjson') return response;
  return new Response(wholeLines(response.body), { status: response.status, headers: response.headers });
}
