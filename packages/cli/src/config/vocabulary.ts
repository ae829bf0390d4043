/** How a value is written in YAML and read from a variable. */
export type KeyType = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'map';

/** What Petasos does with a key. `none`: it is known from existing files and has no effect here; using it is said aloud. */
export type KeyEffect =
  | { readonly kind: 'sandbox' }
  | { readonly kind: 'session' }
  | { readonly kind: 'option'; readonly backends: readonly string[]; readonly option: string }
  | { readonly kind: 'none'; readonly why: string };

export interface ConfigKey {
  readonly key: string;
  readonly type: KeyType;
  /** The variable that carries the same setting. */
  readonly variable?: string;
  readonly effect: KeyEffect;
  /** One line for people. */
  readonly help: string;
  /** The only values, where there are few. */
  readonly oneOf?: readonly string[];
}

const containers = ['docker', 'singularity', 'modal', 'daytona', 'vercel'] as const;

const session = { kind: 'session' } as const;

function terminal(
  name: string,
  type: KeyType,
  effect: KeyEffect,
  help: string,
  variable: string | null = `TERMINAL_${name.toUpperCase()}`,
): ConfigKey {
  return { key: `terminal.${name}`, type, effect, help, ...(variable === null ? {} : { variable }) };
}

function unused(name: string, type: KeyType, why: string): ConfigKey {
  return { key: `terminal.${name}`, type, effect: { kind: 'none', why }, help: `no effect: ${why}` };
}

/** `docker_image` is docker's option `image`: the prefix names the backend, the rest its option in camel case. */
function optionOf(backend: string, rest: string, type: KeyType, help: string): ConfigKey {
  const option = rest.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return terminal(`${backend}_${rest}`, type, { kind: 'option', backends: [backend], option }, help);
}

function containerOption(rest: string, type: KeyType, option: string, help: string): ConfigKey {
  return terminal(`container_${rest}`, type, { kind: 'option', backends: containers, option }, help);
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
    oneOf: ['manual', 'strict', 'off'],
  },
  { key: 'approvals.timeout', type: 'integer', effect: session, help: 'seconds in which a question must be answered; default 300' },
  { key: 'approvals.record', type: 'boolean', effect: session, help: 'keep a record of every command; default true' },
  { key: 'plugins', type: 'list', effect: session, help: 'packages or paths of further backends' },
  terminal('backend', 'string', { kind: 'sandbox' }, 'the place where commands run', 'TERMINAL_ENV'),
  terminal('cwd', 'string', session, 'directory where commands start; "." is the place\'s own default'),
  terminal('timeout', 'integer', session, 'seconds after which a command is ended; unset: never'),
  terminal('lifetime_seconds', 'integer', session, 'seconds without a command after which an unused sandbox ends'),
  terminal('env_passthrough', 'list', session, 'names of variables to forward to commands', null),
  terminal('daemon_term_grace_seconds', 'number', session, 'seconds between TERM and KILL when a command is ended', null),

  containerOption('cpu', 'number', 'cpus', 'CPUs of a container; 0: no limit'),
  containerOption('memory', 'integer', 'memoryMiB', 'memory of a container in MiB; 0: no limit'),
  containerOption('disk', 'integer', 'diskMiB', 'disk of a container in MiB; 0: no limit'),
  containerOption('persistent', 'boolean', 'persistent', "keep a container's files"),

  optionOf('docker', 'image', 'string', 'image of the container'),
  optionOf('docker', 'volumes', 'list', 'mounts, each host:container[:mode]'),
  optionOf('docker', 'env', 'map', 'variables of the container'),
  optionOf('docker', 'forward_env', 'list', 'names of variables to forward into the container'),
  optionOf('docker', 'extra_args', 'list', 'further arguments of docker run'),
  optionOf('docker', 'network', 'boolean', 'whether the container has a network'),
  optionOf('docker', 'shm_size', 'string', 'size of /dev/shm'),
  optionOf('docker', 'mount_cwd_to_workspace', 'boolean', 'mount the current directory at /workspace'),
  optionOf('docker', 'run_as_host_user', 'boolean', 'run as your own user id'),
  optionOf('docker', 'persist_across_processes', 'boolean', 'use a container again in the next process'),
  optionOf('docker', 'orphan_reaper', 'boolean', 'remove containers that nobody uses'),
  optionOf('docker', 'snap_compat', 'boolean', 'work with the snap package of Docker'),
  optionOf('docker', 'shared_container_key', 'string', 'profiles with the same key share one container'),
  optionOf('singularity', 'image', 'string', 'image: a .sif file or a URL'),
  optionOf('modal', 'image', 'string', 'image of the sandbox'),
  optionOf('daytona', 'image', 'string', 'image of the sandbox'),
  optionOf('vercel', 'runtime', 'string', 'runtime of the sandbox, such as node24'),
  optionOf('ssh', 'host', 'string', 'host to run on'),
  optionOf('ssh', 'user', 'string', 'user to run as'),
  optionOf('ssh', 'port', 'integer', 'port of the SSH server'),
  optionOf('ssh', 'key', 'string', 'private key file; unset: agent or ssh config'),

  unused('modal_mode', 'string', 'Petasos always talks to Modal directly'),
  unused('degraded_mode', 'string', 'a place that fails is always an error'),
  unused('temp_dir', 'string', 'TMPDIR decides where temporary files go'),
  unused('credential_files', 'list', 'no file is copied into a place by itself'),
  unused('home_mode', 'string', "commands always have the place's own home directory"),
  unused('shell_init_files', 'list', 'commands run without start-up files'),
  unused('auto_source_bashrc', 'boolean', 'commands run without start-up files'),
  unused('font_family', 'string', 'it belongs to a desktop program'),
  unused('persistent_shell', 'boolean', 'every petasos shell is a session of its own'),
  unused('sandbox_dir', 'string', 'XDG_STATE_HOME decides where Petasos keeps its files'),
  unused('sudo_password', 'string', 'a password does not belong in this file, and Petasos hands none to sudo'),
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
