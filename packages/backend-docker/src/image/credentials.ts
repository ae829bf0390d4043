import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type HostInfo, PetasosError } from '@petasos/core/backend';
import { type DockerConfig, type RegistryLogin, readDockerConfig } from '../engine/contexts.js';

/** Docker Hub has kept the name of its first interface. */
const hub = 'https://index.docker.io/v1/';

/**
 * The login for a registry as the header `X-Registry-Auth` carries it, from where docker itself would take it: `DOCKER_AUTH_CONFIG`,
 * the credential helper of that registry, the common one, and the entries of `config.json`. Undefined where there is none.
 */
export async function registryLogin(registry: string, host: HostInfo): Promise<string | undefined> {
  const fromEnvironment = environmentConfig(host);
  const login = (fromEnvironment && entryOf(fromEnvironment, registry)) ?? (await configuredLogin(registry, host));
  if (login === undefined) return undefined;
  const { username, password, identitytoken } = login;
  const auth = identitytoken ? { identitytoken } : { username, password };
  const text = Buffer.from(JSON.stringify({ ...auth, serveraddress: keyOf(registry) })).toString('base64');
  // The alphabet of URLs, and padded: without the padding an engine takes it for no login at all.
  return text.replaceAll('+', '-').replaceAll('/', '_');
}

async function configuredLogin(registry: string, host: HostInfo): Promise<RegistryLogin | undefined> {
  const config = await readDockerConfig(host);
  const helper = config.credHelpers?.[registry] ?? config.credHelpers?.[keyOf(registry)] ?? config.credsStore;
  return (helper ? await askHelper(helper, registry, host) : undefined) ?? entryOf(config, registry);
}

function environmentConfig({ env }: HostInfo): DockerConfig | undefined {
  if (!env.DOCKER_AUTH_CONFIG) return undefined;
  try {
    return JSON.parse(env.DOCKER_AUTH_CONFIG) as DockerConfig;
  } catch {
    // The parser's message would quote it.
    throw new PetasosError('credentials', 'DOCKER_AUTH_CONFIG is not JSON', {
      backend: 'docker',
      operation: 'open',
      remedy: 'Set it to the content of a config.json of docker, or unset it.',
    });
  }
}

function keyOf(registry: string): string {
  return registry === 'docker.io' ? hub : registry;
}

function entryOf({ auths }: DockerConfig, registry: string): RegistryLogin | undefined {
  const wanted = registry === 'docker.io' ? 'index.docker.io' : registry;
  for (const [key, entry] of Object.entries(auths ?? {})) {
    const named = key.replace(/^https?:\/\//, '').split('/')[0];
    if (named !== wanted && !(registry === 'docker.io' && named === 'docker.io')) continue;
    if (entry.identitytoken || entry.username) return entry;
    const [username = '', ...password] = Buffer.from(entry.auth ?? '', 'base64')
      .toString('utf8')
      .split(':');
    if (username !== '') return { username, password: password.join(':') };
  }
  return undefined;
}

const helperMs = 30_000;

/** Docker's protocol of credential helpers: the registry on stdin, JSON on stdout; a failure means that it knows none. */
async function askHelper(name: string, registry: string, { env }: HostInfo): Promise<RegistryLogin | undefined> {
  if (!/^[\w.-]+$/.test(name)) return undefined;
  const child = spawn(`docker-credential-${name}`, ['get'], {
    env: { ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
    signal: AbortSignal.timeout(helperMs),
  });
  let answer = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(keyOf(registry));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) return undefined;
    const { Username, Secret } = JSON.parse(answer) as { readonly Username?: string; readonly Secret?: string };
    if (!Secret) return undefined;
    return Username === '<token>' ? { identitytoken: Secret } : { username: Username, password: Secret };
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw new PetasosError('credentials', `the credential helper docker-credential-${name} could not be asked about ${registry}`, {
      backend: 'docker',
      operation: 'open',
      remedy: 'Install the helper, or take it out of the config.json of docker.',
      cause,
    });
  }
}
