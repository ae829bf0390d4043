import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { type HostInfo, PetasosError } from '@petasos/core/backend';
import { readTls, type Tls } from './tls.js';

/** Docker's own `config.json`, as far as this package reads it. */
export interface DockerConfig {
  readonly currentContext?: string | undefined;
  readonly auths?: Readonly<Record<string, RegistryLogin>> | undefined;
  readonly credsStore?: string | undefined;
  readonly credHelpers?: Readonly<Record<string, string>> | undefined;
}

export interface RegistryLogin {
  readonly auth?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly identitytoken?: string | undefined;
}

function configDirectory({ env }: HostInfo): string {
  return env.DOCKER_CONFIG || path.join(env.HOME || homedir(), '.docker');
}

/** @throws `invalid-options` when the file is there and is not JSON. */
export async function readDockerConfig(host: HostInfo): Promise<DockerConfig> {
  const file = path.join(configDirectory(host), 'config.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return {};
  }
  return parseJson<DockerConfig>(text, file);
}

export async function configuredContext(host: HostInfo): Promise<string | undefined> {
  return (await readDockerConfig(host)).currentContext;
}

export interface Context {
  readonly host: string;
  readonly tls: Tls | undefined;
}

interface ContextMeta {
  readonly Endpoints?: { readonly docker?: { readonly Host?: string; readonly SkipTLSVerify?: boolean } };
}

/** A context of `docker context`; it lies in a directory named after the hash of its name. */
export async function readContext(name: string, host: HostInfo): Promise<Context | undefined> {
  const hash = createHash('sha256').update(name).digest('hex');
  const contexts = path.join(configDirectory(host), 'contexts');
  const file = path.join(contexts, 'meta', hash, 'meta.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
  const docker = parseJson<ContextMeta>(text, file).Endpoints?.docker;
  if (docker?.Host === undefined) return undefined;
  const tlsDirectory = path.join(contexts, 'tls', hash, 'docker');
  const tls = (await stat(tlsDirectory).catch(() => undefined)) ? await readTls(tlsDirectory, docker.SkipTLSVerify !== true) : undefined;
  return { host: docker.Host, tls };
}

function parseJson<T>(text: string, file: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new PetasosError('invalid-options', `${file} is not JSON`, {
      backend: 'docker',
      operation: 'open',
      remedy: 'Correct the file, or set DOCKER_CONFIG to another directory.',
      cause,
    });
  }
}
