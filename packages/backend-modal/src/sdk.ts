import { createHash } from 'node:crypto';
import { loadSdk } from '@petasos/core/backend';
import type { ModalClient } from 'modal';
import type { Account } from './account.js';
import { noteRetryAfter } from './throttle.js';

export type Sdk = typeof import('modal');

export const sdkVersion = '0.11.1';

/** Loads Modal's SDK at its first use. `load` is for tests. */
export function loadModal(load: () => Promise<unknown> = () => import('modal')): Promise<Sdk> {
  return loadSdk<Sdk>({
    backend: 'modal',
    name: 'modal',
    version: sdkVersion,
    hint: 'On npm, versions 1.x of modal (the tag latest among them) are an unrelated window for browsers; the SDK of Modal is 0.x.',
    load,
    is: (module): module is Sdk => typeof (module as Partial<Sdk> | null)?.ModalClient === 'function',
  });
}

/** A connection is kept for the next sandbox of the same account: the SDK has no way to end one. */
const clients = new Map<string, ModalClient>();

export async function connect(account: Account): Promise<ModalClient> {
  const sdk = await loadModal();
  const { serverUrl, environment = '', secondVersion, tokenId, tokenSecret } = account;
  const key = createHash('sha256')
    .update(JSON.stringify([serverUrl, environment, secondVersion, tokenId.reveal(), tokenSecret.reveal()]))
    .digest('hex');
  const known = clients.get(key);
  if (known) return known;
  const client = withVariables(
    {
      MODAL_SERVER_URL: serverUrl,
      MODAL_ENVIRONMENT: environment === '' ? undefined : environment,
      MODAL_SANDBOX_V2: secondVersion ? '1' : '0',
      // A section that no file has: what the SDK would read by itself has been read, and judged, already.
      MODAL_PROFILE: 'petasos has read the file itself',
      MODAL_OAUTH_REFRESH_TOKEN: undefined,
      MODAL_OAUTH_CLIENT_ID: undefined,
      MODAL_OAUTH_CLIENT_SECRET: undefined,
      MODAL_OAUTH_JWT_KEY: undefined,
      MODAL_MAX_THROTTLE_WAIT: undefined,
      MODAL_LOGLEVEL: undefined,
    },
    () =>
      new sdk.ModalClient({
        tokenId: tokenId.reveal(),
        tokenSecret: tokenSecret.reveal(),
        // The SDK waits without bound and unseen when it is told to come back later: that is for us to do.
        maxThrottleWaitSecs: 0,
        grpcMiddleware: [noteRetryAfter],
        logger: { debug() {}, info() {}, warn() {}, error() {} },
      }),
  );
  clients.set(key, client);
  return client;
}

/** The constructor takes some settings from the process's environment alone. It is synchronous, so nobody else sees the change. */
function withVariables<Result>(variables: Readonly<Record<string, string | undefined>>, work: () => Result): Result {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  const set = (values: Readonly<Record<string, string | undefined>>) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  set(variables);
  try {
    return work();
  } finally {
    set(before);
  }
}
