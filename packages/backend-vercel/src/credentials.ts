import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { type CredentialChoice, type CredentialSource, chooseCredentials, type HostInfo } from '@petasos/core/backend';
import type { VercelOptions } from './options.js';

export type CredentialPart = 'token' | 'teamId' | 'projectId';

export const credentialRemedy =
  'Set VERCEL_TOKEN, VERCEL_TEAM_ID and VERCEL_PROJECT_ID, or VERCEL_OIDC_TOKEN, or run vercel login and vercel link.';

/** Names of the variables that carry them. */
export const credentialVariables = ['VERCEL_TOKEN', 'VERCEL_TEAM_ID', 'VERCEL_ORG_ID', 'VERCEL_PROJECT_ID', 'VERCEL_OIDC_TOKEN'];

/**
 * Where credentials are looked for, the first that is whole wins: options, variables, an OIDC token, and what Vercel's own CLI keeps (the
 * login, and the project that the current directory is linked to).
 */
export async function findCredentials(
  options: VercelOptions,
  env: HostInfo['env'],
  directory = process.cwd(),
): Promise<CredentialChoice<CredentialPart>> {
  const { token, teamId, projectId } = options;
  return chooseCredentials<CredentialPart>(
    ['token', 'teamId', 'projectId'],
    [
      { where: 'the options', parts: { token, teamId, projectId } },
      {
        where: 'the environment (VERCEL_TOKEN)',
        parts: { token: env.VERCEL_TOKEN, teamId: env.VERCEL_TEAM_ID ?? env.VERCEL_ORG_ID, projectId: env.VERCEL_PROJECT_ID },
      },
      { where: 'the environment (VERCEL_OIDC_TOKEN)', parts: oidcParts(env.VERCEL_OIDC_TOKEN) },
      await cliSource(env, directory),
    ],
  );
}

/** Team and project stand in the token itself. Whether it is valid is for the service to say. */
function oidcParts(token: string | undefined): CredentialSource<CredentialPart>['parts'] {
  if (token === undefined || token === '') return {};
  const claims = parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return { token, teamId: text(claims?.owner_id), projectId: text(claims?.project_id) };
}

async function cliSource(env: HostInfo['env'], directory: string): Promise<CredentialSource<CredentialPart>> {
  const link = path.join(directory, '.vercel', 'project.json');
  const linked = await readJson(link);
  for (const file of authFiles(env)) {
    const auth = await readJson(file);
    if (text(auth?.token) === undefined) continue;
    return {
      where: `Vercel's CLI (${file} and ${link})`,
      parts: { token: text(auth?.token), teamId: text(linked?.orgId), projectId: text(linked?.projectId) },
    };
  }
  return { where: `Vercel's CLI (${link})`, parts: {} };
}

/** Where the CLI keeps its login: by system, then the older places. */
function authFiles(env: HostInfo['env']): readonly string[] {
  const home = env.HOME || homedir();
  const data = env.XDG_DATA_HOME || path.join(home, '.local', 'share');
  const directories = [
    env.VERCEL_AUTH_CONFIG_DIR,
    path.join(data, 'com.vercel.cli'),
    path.join(home, 'Library', 'Application Support', 'com.vercel.cli'),
    path.join(home, '.now'),
  ];
  return directories.filter((one) => one !== undefined && one !== '').map((one) => path.join(one as string, 'auth.json'));
}

async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  try {
    return parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
