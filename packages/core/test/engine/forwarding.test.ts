import { describe, expect, it } from 'vitest';
import { forwardedVariables, looksSecret } from '../../src/engine/forwarding.js';

const hostEnv = {
  LANG: 'C.UTF-8',
  LC_ALL: 'C',
  TZ: 'UTC',
  TERM: 'dumb',
  HOME: '/home/dev',
  EDITOR: 'vi',
  GH_TOKEN: 't',
  ACME_KEY: 'k',
  EMPTY: undefined,
};

function forward(passthrough: readonly string[], force: readonly string[] = [], secrets: readonly string[] = []) {
  return forwardedVariables({ hostEnv, passthrough, force, secrets });
}

describe('what of the host’s environment a command gets', () => {
  it('is language, time zone and terminal, and nothing else by itself', () => {
    expect(forward([])).toEqual({ LANG: 'C.UTF-8', LC_ALL: 'C', TZ: 'UTC', TERM: 'dumb' });
  });

  it('is what the user names, where it is set', () => {
    expect(forward(['EDITOR', 'EMPTY', 'NEVER_SET'])).toMatchObject({ EDITOR: 'vi' });
    expect(Object.keys(forward(['EMPTY', 'NEVER_SET']))).not.toContain('EMPTY');
  });

  it.each([
    [['GH_TOKEN'], []],
    [['ACME_KEY'], ['ACME_KEY']],
  ])('is no credential that is only passed through: %j', (passthrough, secrets) => {
    expect(() => forward(passthrough, [], secrets)).toThrow(expect.objectContaining({ code: 'invalid-request' }));
    expect(() => forward(passthrough, [], secrets)).toThrow(new RegExp(passthrough[0] ?? ''));
  });

  it('is a credential that is forced by its name', () => {
    expect(forward(['GH_TOKEN'], ['GH_TOKEN'])).toMatchObject({ GH_TOKEN: 't' });
  });
});

describe('a name that looks like a credential', () => {
  it.each([
    'OPENAI_API_KEY',
    'ANTHROPIC_API_KEY',
    'GH_TOKEN',
    'GITHUB_TOKEN',
    'NPM_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_ACCESS_KEY_ID',
    'AWS_SESSION_TOKEN',
    'MODAL_TOKEN_SECRET',
    'DAYTONA_API_KEY',
    'VERCEL_TOKEN',
    'DB_PASSWORD',
    'PGPASSWORD',
    'SSH_AUTH_SOCK',
    'SUDO_PASSWORD',
    'HF_TOKEN',
    'DOCKER_AUTH_CONFIG',
  ])('is seen: %s', (name) => expect(looksSecret(name)).toBe(true));

  it.each(['EDITOR', 'PATH', 'KEYBOARD', 'TOKENIZERS_PARALLELISM', 'NODE_ENV', 'LC_ALL', 'AUTHOR', 'PASSAGE', 'MONKEY'])(
    'is not: %s',
    (name) => expect(looksSecret(name)).toBe(false),
  );
});
