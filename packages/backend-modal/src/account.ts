import { type CredentialChoice, chooseCredentials, type Secret } from '@petasos/core/backend';
import { readProfile } from './config-file.js';
import type { ModalOptions } from './options.js';

type HostEnv = Readonly<Record<string, string | undefined>>;
export type TokenPart = 'token id' | 'token secret';

/** Variables that hold credentials of Modal: no command gets them. */
export const secretVariables = [
  'MODAL_TOKEN_ID',
  'MODAL_TOKEN_SECRET',
  'MODAL_OAUTH_REFRESH_TOKEN',
  'MODAL_OAUTH_CLIENT_SECRET',
  'MODAL_OAUTH_JWT_KEY',
] as const;

export const tokenRemedy =
  'Run modal token set, or set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET; tokens are made at https://modal.com/settings/tokens.';

export interface Account {
  readonly serverUrl: string;
  readonly tokenId: Secret;
  readonly tokenSecret: Secret;
  readonly environment: string | undefined;
  /** Whether sandboxes are of Modal's second version where that can be. */
  readonly secondVersion: boolean;
}

export interface AccountChoice {
  readonly choice: CredentialChoice<TokenPart>;
  readonly settings: Pick<Account, 'serverUrl' | 'environment' | 'secondVersion'>;
}

/** Options win over the environment, and that over Modal's own configuration file. Parts of two sources are never mixed. */
export async function chooseAccount(options: ModalOptions, env: HostEnv): Promise<AccountChoice> {
  const profile = await readProfile(options.profile, env);
  const values = profile?.values ?? {};
  const choice = chooseCredentials<TokenPart>(
    ['token id', 'token secret'],
    [
      { where: 'the options', parts: { 'token id': options.tokenId, 'token secret': options.tokenSecret } },
      {
        where: 'the environment (MODAL_TOKEN_ID, MODAL_TOKEN_SECRET)',
        parts: { 'token id': env.MODAL_TOKEN_ID, 'token secret': env.MODAL_TOKEN_SECRET },
      },
      ...(profile === undefined
        ? []
        : [
            {
              where: `${profile.file} (profile ${profile.name})`,
              parts: { 'token id': values.token_id, 'token secret': values.token_secret },
            },
          ]),
    ],
  );
  const flag = env.MODAL_SANDBOX_V2 || values.sandbox_v2;
  return {
    choice,
    settings: {
      serverUrl: options.serverUrl ?? (env.MODAL_SERVER_URL || values.server_url || 'https://api.modal.com:443'),
      environment: options.environment ?? (env.MODAL_ENVIRONMENT || values.environment || undefined),
      secondVersion: flag === undefined || !['0', 'false', ''].includes(flag.toLowerCase()),
    },
  };
}
