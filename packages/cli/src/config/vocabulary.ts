import { foreignKeys } from './foreign-keys.js';
import type { ConfigKey, KeyEffect, KeyType } from './key-types.js';

/** Backends that the `container_` keys speak about. */
export const containers: ReadonlySet<string> = new Set(['docker', 'singularity', 'modal', 'daytona', 'vercel']);

const session = { kind: 'session' } as const;

function terminal(name: string, type: KeyType, effect: KeyEffect, help: string, more: Partial<ConfigKey> = {}): ConfigKey {
  return { key: `terminal.${name}`, type, effect, help, variable: `TERMINAL_${name.toUpperCase()}`, ...more };
}

/** Read from files only: no variable carries it. */
function fileOnly(name: string, type: KeyType, help: string, more: Partial<ConfigKey> = {}): ConfigKey {
  return { key: `terminal.${name}`, type, effect: session, help, ...more };
}

/** `docker_image` is docker's option `image`: the prefix names the backend, the rest its option in camel case. */
function optionOf(backend: string, rest: string, type: KeyType, help: string, more: Partial<ConfigKey> = {}): ConfigKey {
  const option = rest.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return terminal(`${backend}_${rest}`, type, { kind: 'option', backends: [backend], option }, help, more);
}

function containerOption(rest: string, type: KeyType, option: string, help: string, more: Partial<ConfigKey> = {}): ConfigKey {
  return terminal(`container_${rest}`, type, { kind: 'option', backends: [...containers], option }, help, more);
}

/** Every key that a configuration file may hold, besides `options.<backend>.…`, which the backend itself defines. */
export const vocabulary: readonly ConfigKey[] = [
  {
    key: 'sandbox',
    type: 'string',
    effect: { kind: 'sandbox' },
    help: 'the place where commands run; the short form of terminal.backend',
    variable: 'PETASOS_BACKEND',
  },
  {
    key: 'approvals.mode',
    type: 'string',
    effect: session,
    help: 'manual: ask about what is dangerous; strict: run only what rules allow; off: ask nothing',
    oneOf: ['off', 'manual', 'strict'],
    aliases: { smart: 'manual' },
    standing: 'manual',
    tightens: 'stricter',
  },
  {
    key: 'approvals.timeout',
    type: 'integer',
    effect: session,
    help: 'seconds in which a question must be answered; default 300',
    standing: 300,
    tightens: 'lower',
  },
  { key: 'approvals.record', type: 'boolean', effect: session, help: 'keep a record of every command; default true' },
  { key: 'plugins', type: 'list', effect: session, help: 'packages or paths of further backends' },
  terminal('backend', 'string', { kind: 'sandbox' }, 'the place where commands run', { variable: 'TERMINAL_ENV' }),
  terminal('cwd', 'string', session, 'directory where commands start; "." is the place\'s own default'),
  terminal('timeout', 'integer', session, 'seconds after which a command is ended; unset: never', { tightens: 'lower' }),
  terminal('lifetime_seconds', 'integer', session, 'seconds without a command after which an unused sandbox ends', {
    standing: 300,
    tightens: 'lower',
  }),
  fileOnly('env_passthrough', 'list', 'names of variables to forward to commands', { tightens: 'fewer', verbatim: true }),
  fileOnly('daemon_term_grace_seconds', 'number', 'seconds between TERM and KILL when a command is ended', { verbatim: true }),

  containerOption('cpu', 'number', 'cpus', 'CPUs of a container; 0: no limit', { tightens: 'lower' }),
  containerOption('memory', 'integer', 'memoryMiB', 'memory of a container in MiB; 0: no limit', { tightens: 'lower' }),
  containerOption('disk', 'integer', 'diskMiB', 'disk of a container in MiB; 0: no limit', { tightens: 'lower' }),
  containerOption('persistent', 'boolean', 'persistent', "keep a container's files", { tightens: 'off' }),

  optionOf('docker', 'image', 'string', 'image of the container'),
  optionOf('docker', 'volumes', 'list', 'mounts, each host:container[:mode]', { tightens: 'fewer' }),
  optionOf('docker', 'env', 'map', 'variables of the container'),
  optionOf('docker', 'forward_env', 'list', 'names of variables to forward into the container', { tightens: 'fewer' }),
  optionOf('docker', 'extra_args', 'list', 'further arguments of docker run'),
  optionOf('docker', 'network', 'boolean', 'whether the container has a network', { tightens: 'off' }),
  optionOf('docker', 'shm_size', 'string', 'size of /dev/shm'),
  optionOf('docker', 'mount_cwd_to_workspace', 'boolean', 'mount the current directory at /workspace', { tightens: 'off' }),
  optionOf('docker', 'run_as_host_user', 'boolean', 'run as your own user id'),
  optionOf('docker', 'snap_compat', 'boolean', 'work with the snap package of Docker'),
  optionOf('singularity', 'image', 'string', 'image: a .sif file or a URL'),
  optionOf('modal', 'image', 'string', 'image of the sandbox'),
  optionOf('daytona', 'image', 'string', 'image of the sandbox'),
  optionOf('vercel', 'runtime', 'string', 'runtime of the sandbox, such as node24'),
  optionOf('ssh', 'host', 'string', 'host to run on'),
  optionOf('ssh', 'user', 'string', 'user to run as'),
  optionOf('ssh', 'port', 'integer', 'port of the SSH server'),
  optionOf('ssh', 'key', 'string', 'private key file; unset: agent or ssh config'),

  ...foreignKeys,
];

const byKey = new Map(vocabulary.map((entry) => [entry.key, entry]));

const backendOption = /^options\.([a-z][a-z0-9-]{0,31})\.(.+)$/;

/** The entry of a key; undefined when there is none. `options.<backend>.<option>` is not in the vocabulary. */
export function keyEntry(key: string): ConfigKey | undefined {
  return byKey.get(key);
}

/** `options.acme.region` taken apart. */
export function parseBackendOption(key: string): { readonly backend: string; readonly option: string } | undefined {
  const match = backendOption.exec(key);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { backend: match[1], option: match[2] };
}

/** Names that other programs use for the same backend. */
const backendAliases: Readonly<Record<string, string>> = { vercel_sandbox: 'vercel', apptainer: 'singularity' };

export function backendNameOf(value: string): string {
  return backendAliases[value] ?? value;
}

/** The key under which an option of a backend is configured. */
export function optionKey(backend: string, option: string): string {
  const entries = vocabulary.filter(
    ({ effect }) => effect.kind === 'option' && effect.option === option && effect.backends.includes(backend),
  );
  // One that speaks about this backend alone before one for all containers.
  const own = entries.find(({ effect }) => effect.kind === 'option' && effect.backends.length === 1);
  return (own ?? entries[0])?.key ?? `options.${backend}.${option}`;
}
