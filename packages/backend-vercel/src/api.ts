import { type HostInfo, PetasosError, type Progress, requireCredentials } from '@petasos/core/backend';
import type { Sandbox } from '@vercel/sandbox';
import { credentialRemedy, findCredentials } from './credentials.js';
import { serviceFailure, vercelError } from './errors.js';
import { ours } from './labels.js';
import type { VercelOptions } from './options.js';
import { sdk } from './sdk.js';
import { transport } from './transport.js';

const officialUrl = 'https://vercel.com/api';

type Sdk = typeof import('@vercel/sandbox');
type CreateParams = NonNullable<Parameters<Sdk['Sandbox']['create']>[0]>;
export type ListedSandbox = Awaited<ReturnType<Awaited<ReturnType<Sdk['Sandbox']['list']>>['toArray']>>[number];

/** The SDK's static calls, each with credentials and with our transport: without them it would ask a person to log in. */
export interface VercelApi {
  create(params: CreateParams): Promise<Sandbox>;
  /** Undefined when there is no sandbox of this name. Starts nothing unless `resume`. */
  get(name: string, options?: { readonly resume?: boolean; readonly signal?: AbortSignal | undefined }): Promise<Sandbox | undefined>;
  /** Those that Petasos made. */
  list(): Promise<readonly ListedSandbox[]>;
}

export async function connect(
  options: VercelOptions,
  env: HostInfo['env'],
  operation: string,
  onProgress?: (event: Progress) => void,
): Promise<VercelApi> {
  const apiUrl = apiUrlOf(options, env);
  const { parts } = requireCredentials('vercel', operation, await findCredentials(options, env), credentialRemedy);
  const { Sandbox: Class } = await sdk();
  const access = {
    token: parts.token.reveal(),
    teamId: parts.teamId.reveal(),
    projectId: parts.projectId.reveal(),
    fetch: transport({ apiUrl, onProgress }),
  };
  return {
    create: (params) => Class.create({ ...params, ...access }),
    async get(name, { resume = false, signal } = {}) {
      try {
        return await Class.get({ name, resume, ...access, ...(signal && { signal }) });
      } catch (error) {
        if (serviceFailure(error)?.status === 404) return undefined;
        throw vercelError(error, resume ? 'resume' : 'attach', name);
      }
    },
    async list() {
      try {
        return await (await Class.list({ tags: ours, ...access })).toArray();
      } catch (error) {
        throw vercelError(error, 'list', '*');
      }
    },
  };
}

/** @throws `invalid-options` for an address to which a token must not travel. */
export function apiUrlOf(options: VercelOptions, env: HostInfo['env']): string {
  const given = options.apiUrl ?? (env.PETASOS_VERCEL_API_URL || officialUrl);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const here = url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url !== undefined && (url.protocol === 'https:' || here)) return given;
  throw new PetasosError('invalid-options', `the address ${JSON.stringify(given)} of the Vercel API is neither https nor on this machine`, {
    backend: 'vercel',
    operation: 'connect',
    remedy: 'Correct apiUrl or PETASOS_VERCEL_API_URL.',
  });
}
