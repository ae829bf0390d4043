import { isSecretName, secretShapes } from './secret-shapes.js';

/** Replaces what looks like a secret in a text. The result is for records and messages, never for running. */
export type Redactor = (text: string) => string;

const mask = '[redacted]';
/** A shorter value would redact ordinary words. */
const shortestValue = 6;

interface ShortOption {
  readonly flags: readonly string[];
  /** Only when the value follows without a blank: after one, `-p` of mysql prompts. */
  readonly attached?: boolean;
}

const mysqlPrograms = ['mysql', 'mysqldump', 'mysqladmin', 'mysqlimport', 'mysqlcheck', 'mariadb', 'mariadb-dump'];
const dashPPrograms = [
  'sshpass',
  'docker',
  'podman',
  'nerdctl',
  'mongo',
  'mongosh',
  'mongodump',
  'az',
  'oc',
  'helm',
  'twine',
  '7z',
  '7za',
  'rclone',
];

/** Short options that carry a secret, by program. */
const shortOptions: ReadonlyMap<string, ShortOption> = new Map([
  ...mysqlPrograms.map((program): [string, ShortOption] => [program, { flags: ['-p'], attached: true }]),
  ...dashPPrograms.map((program): [string, ShortOption] => [program, { flags: ['-p'] }]),
  ['redis-cli', { flags: ['-a'] }],
  ['zip', { flags: ['-P'] }],
  ['unzip', { flags: ['-P'] }],
  ['ldapsearch', { flags: ['-w'] }],
  ['ldapmodify', { flags: ['-w'] }],
  ['sqlcmd', { flags: ['-P'] }],
]);

/** `docker -p` publishes a port unless it logs in. */
const onlyWithLogin: ReadonlySet<string> = new Set(['docker', 'podman', 'nerdctl', 'helm', 'az', 'oc']);
const userOptions: ReadonlySet<string> = new Set(['-u', '--user', '--proxy-user', '-U', '--creds', '--src-creds', '--dest-creds']);
const userPrograms: ReadonlySet<string> = new Set(['curl', 'http', 'https', 'xh', 'wget', 'smbclient', 'skopeo', 'ab', 'wrk', 'hey']);

/** Words (quotes stay in), separators and blanks, in one linear pass; an open quote runs to the end. */
const tokens = /(?:\s|\\\n)+|(?:'[^']*'?|"(?:\\[\s\S]|[^"\\])*"?|\\[\s\S]|[^\s;|&'"\\])+|\\$|[;|&]+/g;
const reference = /^["']?\$(?:\w+|\{\w+\}|\()/;
const userInfo = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)([^\s/:@'"`]{0,256}):([^\s/'"`]{1,1024})@/gi;
const bareUserInfo = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)([^\s/:@'"`]{20,512})@/gi;
const header =
  /\b((?:proxy-)?authorization|x-[a-z-]{0,30}(?:key|token|secret|auth)[a-z-]{0,20}|private-token|api-?key|(?:set-)?cookie)(\s{0,4}:\s{0,4})((?:bearer|basic|token|digest|negotiate)\s{1,4})?([^\s'"`][^'"`\n]{0,8192})/gi;
const field = /(["'])([A-Za-z0-9_.-]{1,64})\1(\s{0,4}[:=]\s{0,4})(["'])((?:\\[\s\S]|(?!\4)[^\\]){1,8192})\4/g;
const queryPair = /([?&])([A-Za-z0-9_.-]{1,64})=([^&\s'"`#]{1,4096})/g;

/** A redactor that knows the shapes of secrets and, besides, these exact values. */
export function createRedactor(values: readonly string[] = []): Redactor {
  const known = [...new Set(values)].filter((value) => value.length >= shortestValue).sort((left, right) => right.length - left.length);
  return (text) => {
    let result = text;
    for (const value of known) result = result.replaceAll(value, mask);
    return redactWords(redactShapes(result));
  };
}

/** Knows shapes only. */
export const redact: Redactor = createRedactor();

/** The values in an environment that its names say are secret; for {@link createRedactor}. */
export function secretValues(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) => (value !== undefined && isSecretName(name) ? [value] : []));
}

function redactShapes(text: string): string {
  let result = text;
  for (const shape of secretShapes) result = result.replace(shape, mask);
  return result
    .replace(userInfo, (whole, scheme: string, user: string, secret: string) =>
      reference.test(secret) ? whole : `${scheme}${user}:${mask}@`,
    )
    .replace(bareUserInfo, (_whole, scheme: string) => `${scheme}${mask}@`)
    .replace(header, (whole, name: string, colon: string, kind: string | undefined, secret: string) =>
      reference.test(secret) ? whole : `${name}${colon}${kind ?? ''}${mask}`,
    )
    .replace(field, (whole, quote: string, name: string, colon: string, valueQuote: string) =>
      isSecretName(name) ? `${quote}${name}${quote}${colon}${valueQuote}${mask}${valueQuote}` : whole,
    )
    .replace(queryPair, (whole, mark: string, name: string, secret: string) =>
      isSecretName(name) && !reference.test(secret) ? `${mark}${name}=${mask}` : whole,
    );
}

function redactWords(text: string): string {
  let program: string | undefined;
  let login = false;
  let pending: 'value' | 'user' | undefined;
  return text.replace(tokens, (token) => {
    if (/^(?:\s|\\\n)/.test(token)) {
      if (/(?:^|[^\\])\n/.test(token) && pending === undefined) program = undefined;
      return token;
    }
    if (/^[;|&]/.test(token)) {
      program = undefined;
      login = false;
      pending = undefined;
      return token;
    }
    if (pending !== undefined) {
      const kind = pending;
      pending = undefined;
      return kind === 'value' ? maskWord(token) : maskUser(token);
    }
    const name = token.slice(token.lastIndexOf('/') + 1);
    if (shortOptions.has(name) || userPrograms.has(name)) program = name;
    if (name === 'login') login = true;
    const assigned = /^(-{0,2}[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})=([\s\S]+)$/.exec(token);
    if (assigned !== null) return redactAssignment(token, assigned[1] ?? '', assigned[2] ?? '');
    if (/^-passin$|^-passout$|^-pass$/.test(token)) {
      pending = 'value';
      return token;
    }
    if (/^--[A-Za-z]/.test(token) && isSecretName(token)) {
      pending = 'value';
      return token;
    }
    if (program !== undefined && userPrograms.has(program)) {
      if (userOptions.has(token)) pending = 'user';
      else if (/^-u[\s\S]/.test(token)) return `-u${maskUser(token.slice(2))}`;
      return token;
    }
    return redactShortOption(token, program, login, () => {
      pending = 'value';
    });
  });
}

function redactAssignment(token: string, name: string, value: string): string {
  if (userOptions.has(name)) return `${name}=${maskUser(value)}`;
  return isSecretName(name) ? `${name}=${maskWord(value)}` : token;
}

function redactShortOption(token: string, program: string | undefined, login: boolean, expectValue: () => void): string {
  const option = program === undefined ? undefined : shortOptions.get(program);
  if (option === undefined || (program !== undefined && onlyWithLogin.has(program) && !login)) return token;
  for (const flag of option.flags) {
    if (token === flag && option.attached !== true) expectValue();
    else if (token.startsWith(flag) && token.length > flag.length) return `${flag}${maskWord(token.slice(flag.length))}`;
  }
  return token;
}

/** A variable's name is no secret, and it tells the reader more than a mask. */
function maskWord(word: string): string {
  return reference.test(word) ? word : mask;
}

function maskUser(word: string): string {
  const at = word.search(/[:%]/);
  if (at < 0) return word;
  return reference.test(word.slice(at + 1)) ? word : `${word.slice(0, at + 1)}${mask}`;
}
