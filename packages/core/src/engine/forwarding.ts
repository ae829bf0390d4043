import { PetasosError } from '../contract/index.js';

/** Harmless and useful everywhere: language, time zone, terminal kind. */
const always = ['LANG', 'LANGUAGE', 'TZ', 'TERM'];

/** Well-known credentials. A name that merely looks like one is treated the same. */
const credential =
  /(^|_)(API_?KEY|ACCESS_?KEY(_ID)?|SECRET(_ACCESS)?(_KEY)?|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PRIVATE_?KEY|AUTH(_CONFIG)?)(_[A-Z0-9]+)?$|^(AWS|AZURE|GOOGLE_APPLICATION|GCP|VERCEL|MODAL|DAYTONA|GH|GITHUB|GITLAB|NPM|OPENAI|ANTHROPIC|HF)_.*(KEY|TOKEN|SECRET|CREDENTIALS)|^(SSH_AUTH_SOCK|SUDO_PASSWORD|PGPASSWORD|MYSQL_PWD|KUBECONFIG|DOCKER_AUTH_CONFIG)$/i;

/** Whether a variable of this name is taken for a secret. */
export function looksSecret(name: string): boolean {
  return credential.test(name);
}

export interface Forwarding {
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Names to forward besides the allowlist. */
  readonly passthrough: readonly string[];
  /** Credentials to forward all the same. */
  readonly force: readonly string[];
  /** The backend's own credentials. */
  readonly secrets: readonly string[];
}

/**
 * The variables of the host that commands get. A credential goes along only when it is forced by its name.
 * @throws `invalid-request` when `passthrough` names one that is not.
 */
export function forwardedVariables(forwarding: Forwarding): Record<string, string> {
  const names = new Set([...always, ...Object.keys(forwarding.hostEnv).filter((name) => name.startsWith('LC_'))]);
  for (const name of forwarding.passthrough) {
    const secret = forwarding.secrets.includes(name) || looksSecret(name);
    if (secret && !forwarding.force.includes(name)) {
      throw new PetasosError('invalid-request', `the variable ${name} is a credential and is not forwarded`, {
        operation: 'open',
        data: { variable: name },
        remedy: `Force it by name (envForce: ['${name}']) if commands really need it.`,
      });
    }
    names.add(name);
  }
  for (const name of forwarding.force) names.add(name);
  const env: Record<string, string> = {};
  for (const name of names) {
    const value = forwarding.hostEnv[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
