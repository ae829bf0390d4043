import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { type CredentialChoice, chooseCredentials, type HostInfo } from '@petasos/core/backend';
import type { DaytonaOptions } from './options.js';

const defaultApiUrl = 'https://app.daytona.io/api';

export const credentialRemedy = 'Set DAYTONA_API_KEY to a key from the Daytona dashboard, or run daytona login --api-key.';

export interface Access {
  readonly choice: CredentialChoice<'key'>;
  readonly apiUrl: string;
  /** Where the address of the API came from. */
  readonly apiUrlFrom: string;
  readonly region: string;
}

/** Options, then the environment, then the active profile of Daytona's own CLI. A profile's key goes to the profile's address alone. */
export async function findAccess(options: DaytonaOptions, host: HostInfo): Promise<Access> {
  const { env } = host;
  const file = configFile(host);
  const profile = await activeProfile(file);
  const fromFile = `${file} (profile ${profile?.name ?? 'none'})`;
  const choice = chooseCredentials(
    ['key'],
    [
      { where: 'the options (apiKey)', parts: { key: options.apiKey } },
      { where: 'the environment (DAYTONA_API_KEY)', parts: { key: env.DAYTONA_API_KEY } },
      { where: fromFile, parts: { key: profile?.key } },
    ],
  );
  const profileUrl = choice.chosen?.where === fromFile ? profile?.url : undefined;
  const [apiUrl, apiUrlFrom] = options.apiUrl
    ? [options.apiUrl, 'the options']
    : profileUrl
      ? [profileUrl, fromFile]
      : env.DAYTONA_API_URL
        ? [env.DAYTONA_API_URL, 'the environment (DAYTONA_API_URL)']
        : [defaultApiUrl, 'the default'];
  return { choice, apiUrl, apiUrlFrom, region: options.region ?? env.DAYTONA_TARGET ?? 'us' };
}

interface Profile {
  readonly name: string;
  readonly url: string | undefined;
  readonly key: string | undefined;
}

function configFile({ env, platform }: HostInfo): string {
  if (env.DAYTONA_CONFIG_DIR) return path.join(env.DAYTONA_CONFIG_DIR, 'config.json');
  const home = env.HOME || homedir();
  const user =
    platform === 'darwin' ? path.join(home, 'Library', 'Application Support') : env.XDG_CONFIG_HOME || path.join(home, '.config');
  return path.join(user, 'daytona', 'config.json');
}

/** Undefined for a file that is missing or that is not one of Daytona's. */
async function activeProfile(file: string): Promise<Profile | undefined> {
  try {
    const config: unknown = JSON.parse(await readFile(file, 'utf8'));
    const { activeProfile: active, profiles } = config as { activeProfile?: unknown; profiles?: unknown };
    const found = (profiles as { id?: unknown; name?: unknown; api?: { url?: unknown; key?: unknown } }[]).find(({ id }) => id === active);
    if (found === undefined) return undefined;
    return { name: String(found.name ?? found.id), url: text(found.api?.url), key: text(found.api?.key) };
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
