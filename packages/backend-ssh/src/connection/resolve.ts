import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { PetasosError } from '@petasos/core/backend';
import { type HostSettings, readSshConfig } from './ssh-config.js';
import type { ConnectionOptions, HostKeyPolicy, SshTarget } from './target.js';

type Environment = Readonly<Record<string, string | undefined>>;

const defaultIdentities = ['id_ed25519', 'id_ecdsa', 'id_rsa'];
const defaultTimeoutMs = 20_000;
const defaultKeepaliveMs = 15_000;
const mostJumps = 8;

/**
 * Settles where to connect to: options first, then `TERMINAL_SSH_*`, then the user's ssh configuration, then what ssh takes by default.
 * @throws `invalid-options` for what cannot be meant, such as no host at all.
 */
export async function resolveTarget(options: ConnectionOptions, env: Environment): Promise<SshTarget> {
  const alias = options.host ?? set(env.TERMINAL_SSH_HOST);
  if (alias === undefined) throw invalid('no host is named', 'Set the option host (terminal.ssh_host) or TERMINAL_SSH_HOST.');
  const resolver = new Resolver(options, env);
  return resolver.target(
    { alias, user: options.user ?? set(env.TERMINAL_SSH_USER), port: options.port ?? portOf(env.TERMINAL_SSH_PORT) },
    [options.key ?? set(env.TERMINAL_SSH_KEY)].filter((key) => key !== undefined),
  );
}

/** A machine as the user wrote it. */
interface Named {
  readonly alias: string;
  readonly user: string | undefined;
  readonly port: number | undefined;
}

class Resolver {
  readonly #options: ConnectionOptions;
  readonly #env: Environment;
  readonly #home: string;
  readonly #localUser: string;
  #jumps = 0;

  constructor(options: ConnectionOptions, env: Environment) {
    this.#options = options;
    this.#env = env;
    this.#home = env.HOME || homedir();
    this.#localUser = set(env.USER) ?? userInfo().username;
  }

  /** `jumps` absent: those of the configuration. */
  async target(named: Named, keys: readonly string[], jumps?: readonly SshTarget[]): Promise<SshTarget> {
    const { alias } = named;
    const settings = await readSshConfig(this.#configFiles(), this.#home, alias, named.user);
    const first = (keyword: string) => settings[keyword]?.[0];
    const hostName = first('hostname');
    const host = hostName === undefined ? alias : this.#expand(hostName, { h: alias, n: alias });
    const port = named.port ?? portOf(first('port')) ?? 22;
    const user = named.user ?? first('user') ?? this.#localUser;
    const tokens = { h: host, n: alias, p: String(port), r: user, u: this.#localUser, d: this.#home, '%': '%' };
    const files = (keyword: string) => settings[keyword]?.map((file) => this.#path(file, tokens));
    const written = [...keys, ...(settings.identityfile ?? [])].filter((file) => file !== 'none');
    const identityFiles = [...new Set(written.map((file) => this.#path(file, tokens)))];
    const way = jumps === undefined ? wayOf(settings) : undefined;
    const hostKeyAlias = first('hostkeyalias');
    return {
      alias,
      host,
      port,
      user,
      identityFiles: identityFiles.length > 0 ? identityFiles : defaultIdentities.map((name) => path.join(this.#home, '.ssh', name)),
      identitiesNamed: identityFiles.length > 0,
      identitiesOnly: isYes(first('identitiesonly')),
      agent: this.#agent(first('identityagent'), tokens),
      hostKeyName: hostKeyAlias ?? (port === 22 ? host : `[${host}]:${port}`),
      knownHosts: this.#options.knownHosts?.map((file) => this.#path(file, tokens)) ?? [
        ...(files('userknownhostsfile') ?? [path.join(this.#home, '.ssh', 'known_hosts'), path.join(this.#home, '.ssh', 'known_hosts2')]),
        ...(files('globalknownhostsfile') ?? ['/etc/ssh/ssh_known_hosts', '/etc/ssh/ssh_known_hosts2']),
      ],
      hashKnownHosts: isYes(first('hashknownhosts')),
      hostKeys: this.#options.hostKeys ?? policyOf(first('stricthostkeychecking')),
      connectTimeoutMs: this.#options.connectTimeoutMs ?? secondsOf(first('connecttimeout')) ?? defaultTimeoutMs,
      keepaliveMs: this.#options.keepaliveMs ?? secondsOf(first('serveraliveinterval')) ?? defaultKeepaliveMs,
      proxyCommand: way?.keyword === 'proxycommand' ? proxyCommand(way.value, tokens) : undefined,
      jumps: jumps ?? (way?.keyword === 'proxyjump' ? await this.#jumpsOf(alias, way.value) : []),
    };
  }

  /** `a,b`: first to a, from there to b. The first may need a way of its own; the others are reached from the one before. */
  async #jumpsOf(alias: string, text: string): Promise<readonly SshTarget[]> {
    const found: SshTarget[] = [];
    for (const [index, hop] of text.split(',').entries()) {
      this.#jumps += 1;
      if (this.#jumps > mostJumps)
        throw invalid(`the way to ${alias} has more than ${mostJumps} jumps`, 'Look for a ProxyJump that leads back.');
      const jump = await this.target(parseHop(hop.trim()), [], index === 0 ? undefined : []);
      found.push(...jump.jumps, { ...jump, jumps: [] });
    }
    return found;
  }

  #configFiles(): readonly string[] {
    const { configFile } = this.#options;
    if (configFile === false) return [];
    if (configFile !== undefined) return [this.#path(configFile, {})];
    return [path.join(this.#home, '.ssh', 'config'), '/etc/ssh/ssh_config'];
  }

  #agent(configured: string | undefined, tokens: Tokens): string | undefined {
    const { agent } = this.#options;
    if (agent === false) return undefined;
    if (agent !== undefined) return this.#path(agent, tokens);
    if (configured === 'none') return undefined;
    if (configured === undefined || configured === 'SSH_AUTH_SOCK') return set(this.#env.SSH_AUTH_SOCK);
    if (configured.startsWith('$') && !configured.startsWith('${')) return set(this.#env[configured.slice(1)]);
    return this.#path(configured, tokens);
  }

  #path(written: string, tokens: Tokens): string {
    const expanded = this.#expand(written, tokens);
    if (expanded === '~') return this.#home;
    return path.resolve(expanded.startsWith('~/') ? path.join(this.#home, expanded.slice(2)) : expanded);
  }

  #expand(written: string, tokens: Tokens): string {
    return written
      .replace(/%(.)/g, (all, letter: string) => tokens[letter] ?? all)
      .replace(/\$\{(\w+)\}/g, (all, name: string) => this.#env[name] ?? all);
  }
}

type Tokens = Readonly<Record<string, string>>;

/** Of the two ways around a direct connection the one that is named first counts, as with ssh; `none` names none. */
function wayOf(settings: HostSettings): { readonly keyword: string; readonly value: string } | undefined {
  const keyword = Object.keys(settings).find((one) => one === 'proxycommand' || one === 'proxyjump');
  const value = keyword && settings[keyword]?.join(',');
  return keyword === undefined || !value || value.toLowerCase() === 'none' ? undefined : { keyword, value };
}

/** What the names stand for becomes part of a shell's line: they must be words for any shell. */
function proxyCommand(written: string, tokens: Tokens): string {
  return written.replace(/%(.)/g, (all, letter: string) => {
    if (letter === '%') return '%';
    const value = 'hnpr'.includes(letter) ? tokens[letter] : undefined;
    if (value === undefined) throw invalid(`the ProxyCommand holds ${all}, which stands for nothing`, 'It may hold %h, %n, %p, %r and %%.');
    if (/^[\w.:@%+,=/][\w.:@%+,=/~-]*$/.test(value)) return value;
    throw invalid(`${JSON.stringify(value)} cannot be part of a ProxyCommand`, 'Use names of letters, digits and .:@%+,=/~-_ only.');
  });
}

/** `[user@]host[:port]`, or the same as an `ssh://` address. */
function parseHop(text: string): Named {
  const match = /^(?:ssh:\/\/)?(?:(.*)@)?(?:\[([^\]]+)\]|([^:@/]+))(?::(\d+))?\/?$/.exec(text);
  const alias = match?.[2] ?? match?.[3];
  if (alias === undefined) throw invalid(`ProxyJump names ${JSON.stringify(text)}, which is no host`, 'Write it as user@host:port.');
  return { alias, user: match?.[1], port: portOf(match?.[4]) };
}

function portOf(text: string | undefined): number | undefined {
  if (set(text) === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw invalid(`${JSON.stringify(text)} is no port`, 'Give a number between 1 and 65535.');
}

function policyOf(text: string | undefined): HostKeyPolicy {
  const value = text?.toLowerCase();
  if (value === 'yes' || value === 'true') return 'strict';
  return value === 'no' || value === 'off' || value === 'false' ? 'off' : 'accept-new';
}

/** Zero, as ssh takes it, means that nothing is said. */
function secondsOf(text: string | undefined): number | undefined {
  const [, amount, unit = 's'] = /^(\d+)([smh]?)$/i.exec(text ?? '') ?? [];
  if (amount === undefined || amount === '0') return undefined;
  return Number(amount) * ({ s: 1_000, m: 60_000, h: 3_600_000 }[unit.toLowerCase() || 's'] ?? 1_000);
}

function isYes(text: string | undefined): boolean {
  return /^(yes|true)$/i.test(text ?? '');
}

function set(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}

function invalid(what: string, remedy: string): PetasosError {
  return new PetasosError('invalid-options', `ssh: ${what}`, { backend: 'ssh', operation: 'open', remedy });
}
