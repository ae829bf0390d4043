import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { type HostInfo, PetasosError } from '@petasos/core/backend';
import { configuredContext, readContext } from './contexts.js';
import { readTls, type Tls } from './tls.js';

/** Where an engine listens, and what said so. */
export type Endpoint = { readonly source: string } & (
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly tls: Tls | undefined }
);

export interface Wanted {
  readonly host?: string | undefined;
  readonly context?: string | undefined;
}

/** What a person calls it. */
export function endpointName(endpoint: Endpoint): string {
  if (endpoint.kind === 'socket') return `unix://${endpoint.path}`;
  return `tcp://${endpoint.host}:${endpoint.port}${endpoint.tls ? ' (TLS)' : ''}`;
}

/**
 * The engine that docker itself would talk to: the option, `DOCKER_HOST`, the context of `DOCKER_CONTEXT` or of docker's
 * configuration, and then the first well-known socket that this user may open.
 * @throws `unavailable` for an `ssh://` engine, `invalid-options` for an address that cannot be one.
 */
export async function findEndpoint(wanted: Wanted, host: HostInfo): Promise<Endpoint> {
  const { env } = host;
  if (wanted.host !== undefined) return parseHost(wanted.host, 'the option host', await tlsOfEnvironment(env));
  if (wanted.context !== undefined) return ofContext(wanted.context, 'the option context', host);
  if (env.DOCKER_HOST) return parseHost(env.DOCKER_HOST, 'DOCKER_HOST', await tlsOfEnvironment(env));
  const context = env.DOCKER_CONTEXT || (await configuredContext(host));
  if (context && context !== 'default')
    return ofContext(context, env.DOCKER_CONTEXT ? 'DOCKER_CONTEXT' : 'the configuration of docker', host);
  return defaultSocket(host);
}

async function ofContext(name: string, source: string, host: HostInfo): Promise<Endpoint> {
  if (name === 'default') return defaultSocket(host);
  const context = await readContext(name, host);
  if (context === undefined) {
    throw new PetasosError('invalid-options', `docker has no context ${name}, which ${source} names`, {
      backend: 'docker',
      operation: 'open',
      remedy: 'docker context ls shows those there are.',
    });
  }
  return parseHost(context.host, `the context ${name}`, context.tls);
}

/** `unix://`, `npipe://` and `tcp://` addresses. An address with TLS material, or on TLS's port, is spoken to with TLS. */
function parseHost(text: string, source: string, tls: Tls | undefined): Endpoint {
  const socket = /^(?:unix|npipe):\/\/(.+)$/.exec(text)?.[1] ?? (text.startsWith('/') ? text : undefined);
  if (socket !== undefined) return { kind: 'socket', path: socket, source };
  if (text.startsWith('ssh://')) throw refuseSsh(text, source);
  const url = URL.canParse(text) && /^(tcp|https?):\/\//.test(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '') {
    throw new PetasosError('invalid-options', `${source} is ${JSON.stringify(text)}, which is no address of an engine`, {
      backend: 'docker',
      operation: 'open',
      remedy: 'Use unix:///path/to/docker.sock or tcp://host:port.',
    });
  }
  const secure = tls !== undefined || url.protocol === 'https:' || url.port === '2376';
  return {
    kind: 'tcp',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (secure ? 2376 : 2375)),
    tls: secure ? (tls ?? { verify: true }) : undefined,
    source,
  };
}

function refuseSsh(text: string, source: string): PetasosError {
  const target = text.slice('ssh://'.length);
  return new PetasosError('unavailable', `${source} is ${text}: an engine behind SSH is not spoken to directly`, {
    backend: 'docker',
    operation: 'open',
    remedy: `Forward its socket, ssh -nNT -L /tmp/docker.sock:/var/run/docker.sock ${target}, and set DOCKER_HOST=unix:///tmp/docker.sock.`,
  });
}

async function tlsOfEnvironment(env: HostInfo['env']): Promise<Tls | undefined> {
  if (!env.DOCKER_TLS_VERIFY && !env.DOCKER_CERT_PATH && !env.DOCKER_TLS) return undefined;
  const directory = env.DOCKER_CERT_PATH || env.DOCKER_CONFIG || path.join(env.HOME || homedir(), '.docker');
  return readTls(directory, Boolean(env.DOCKER_TLS_VERIFY));
}

async function defaultSocket({ env, platform }: HostInfo): Promise<Endpoint> {
  const source = 'the default';
  if (platform === 'win32') return { kind: 'socket', path: '//./pipe/docker_engine', source };
  let present: string | undefined;
  for (const candidate of wellKnownSockets(env)) {
    if (
      !(await stat(candidate).then(
        (info) => info.isSocket(),
        () => false,
      ))
    )
      continue;
    present ??= candidate;
    const usable = await access(candidate, constants.R_OK | constants.W_OK).then(
      () => true,
      () => false,
    );
    if (usable) return { kind: 'socket', path: candidate, source };
  }
  return { kind: 'socket', path: present ?? '/var/run/docker.sock', source };
}

/** Docker's own, rootless, Docker Desktop's, Colima's, and then Podman's. */
function wellKnownSockets(env: HostInfo['env']): string[] {
  const home = env.HOME || homedir();
  const run = env.XDG_RUNTIME_DIR || (process.getuid ? `/run/user/${process.getuid()}` : undefined);
  const below = (directory: string | undefined, name: string) => (directory === undefined ? [] : [path.join(directory, name)]);
  return [
    '/var/run/docker.sock',
    ...below(run, 'docker.sock'),
    path.join(home, '.docker/run/docker.sock'),
    path.join(home, '.docker/desktop/docker.sock'),
    path.join(home, '.colima/default/docker.sock'),
    ...below(run, 'podman/podman.sock'),
    '/run/podman/podman.sock',
  ];
}
