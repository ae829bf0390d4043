/** How an unknown host key is met. A changed one is refused under all of them. */
export type HostKeyPolicy = 'accept-new' | 'strict' | 'off';

/** Which server, and how to reach it. What is absent comes from the environment, then from the user's ssh configuration. */
export interface ConnectionOptions {
  /** Host name, address or an alias of the ssh configuration; default `TERMINAL_SSH_HOST`. */
  readonly host?: string | undefined;
  /** Default `TERMINAL_SSH_USER`, else the configuration, else the local user's name. */
  readonly user?: string | undefined;
  /** Default `TERMINAL_SSH_PORT`, else the configuration, else 22. */
  readonly port?: number | undefined;
  /** Private key file that is tried first; default `TERMINAL_SSH_KEY`. `~/` stands for the home directory. */
  readonly key?: string | undefined;
  /** Socket of an agent; false: none is asked. Default: the configuration, else `SSH_AUTH_SOCK`. */
  readonly agent?: string | false | undefined;
  /** File to read instead of `~/.ssh/config` and the system's; false: none. */
  readonly configFile?: string | false | undefined;
  /** Files with known host keys; new ones go to the first. Default: the configuration, else OpenSSH's. */
  readonly knownHosts?: readonly string[] | undefined;
  /** Default: the configuration's `StrictHostKeyChecking`, where `ask` means `accept-new`. */
  readonly hostKeys?: HostKeyPolicy | undefined;
  /** Milliseconds for each machine on the way, from the first packet to the login; default 20 000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Milliseconds of silence after which the server is asked whether it is there; three unanswered questions end the connection. */
  readonly keepaliveMs?: number | undefined;
}

/** One server, with everything settled that a connection needs to know. */
export interface SshTarget {
  /** What the user called it. */
  readonly alias: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Key files in the order in which they are tried. */
  readonly identityFiles: readonly string[];
  /** Whether the key files were named by the user; defaults may be absent without a word. */
  readonly identitiesNamed: boolean;
  /** Only keys of {@link identityFiles} are offered, even if an agent holds more. */
  readonly identitiesOnly: boolean;
  readonly agent: string | undefined;
  /** The name that stands in known_hosts files. */
  readonly hostKeyName: string;
  readonly knownHosts: readonly string[];
  readonly hashKnownHosts: boolean;
  readonly hostKeys: HostKeyPolicy;
  readonly connectTimeoutMs: number;
  readonly keepaliveMs: number;
  /** What the user's shell runs instead of opening a socket, with everything filled in. */
  readonly proxyCommand: string | undefined;
  /** Machines to pass on the way, the nearest first. */
  readonly jumps: readonly SshTarget[];
}

/** `user@host`, with the port where it is not 22: how messages name a server. */
export function describeTarget({ user, host, port }: Pick<SshTarget, 'user' | 'host' | 'port'>): string {
  return `${user}@${host}${port === 22 ? '' : `:${port}`}`;
}
