import type { Daytona, Sandbox } from '@daytona/sdk';
import { type HostInfo, loadSdk, PetasosError, requireCredentials } from '@petasos/core/backend';
import { credentialRemedy, findAccess } from './credentials.js';
import type { DaytonaOptions } from './options.js';

type Sdk = typeof import('@daytona/sdk');

export type { Daytona, Sandbox };

/** Version that everything here was proven with. */
export const sdkPackage = '@daytona/sdk';
export const sdkVersion = '0.216.0';

/** Milliseconds that one request may take; the SDK's own default is a day. */
const requestTimeoutMs = 30_000;

export function loadDaytona(): Promise<Sdk> {
  return loadSdk<Sdk>({
    backend: 'daytona',
    name: sdkPackage,
    version: sdkVersion,
    load: () => import('@daytona/sdk'),
    is: (module): module is Sdk => typeof (module as Partial<Sdk>).Daytona === 'function',
  });
}

/** @throws `credentials` without a key, `unavailable` without the SDK. */
export async function connect(options: DaytonaOptions, host: HostInfo, operation: string): Promise<Daytona> {
  const access = await findAccess(options, host);
  const { parts } = requireCredentials('daytona', operation, access.choice, credentialRemedy);
  const { Daytona } = await loadDaytona();
  try {
    // All three are given: what is missing the SDK would take from the environment of this process and from .env files.
    return new Daytona({
      apiKey: parts.key.reveal(),
      apiUrl: access.apiUrl,
      target: access.region,
      requestTimeoutMs,
      // Its other way to wait for a state is a socket that is kept open for as long as the process lives.
      useDeprecatedPolling: true,
    });
  } catch (cause) {
    throw new PetasosError('invalid-options', 'the Daytona client cannot be made from these options', {
      backend: 'daytona',
      operation,
      remedy: 'Check apiUrl and region.',
      cause,
    });
  }
}
