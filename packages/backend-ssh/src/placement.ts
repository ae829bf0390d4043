import { stat } from 'node:fs/promises';
import type { DriverPlacement, Warning } from '@petasos/core/backend';
import { describeTarget, type SshConnections, type SshTarget } from './connection/index.js';

/** Prints host name, system, user, uid, and whether sudo asks for no password. */
const script = `uname -n; uname -s; id -un; id -u
command -v sudo >/dev/null 2>&1 && sudo -n true </dev/null >/dev/null 2>&1 && echo sudo`;

const described = new WeakMap<SshConnections, Promise<DriverPlacement>>();

/** The answer stays the same as long as the connections do; asking sudo each time would fill a log. */
export function describePlace(connections: SshConnections): Promise<DriverPlacement> {
  const known = described.get(connections);
  if (known !== undefined) return known;
  const asked = ask(connections);
  described.set(connections, asked);
  asked.catch(() => described.delete(connections));
  return asked;
}

async function ask(connections: SshConnections): Promise<DriverPlacement> {
  const { target } = connections;
  const { stdout } = await connections.run(script);
  const [name = '', os = '', user = target.user, uid = '', sudo = ''] = stdout.toString('utf8').split('\n');
  return {
    machine: { name: name || target.host, os: os.toLowerCase() },
    user: { name: user, uid: /^\d+$/.test(uid) ? Number(uid) : null },
    mounts: [],
    network: { mode: 'open' },
    limits: {},
    isolation: 'remote-host',
    storage: 'host',
    lifetimeLeftMs: null,
    cost: { class: 'free' },
    warnings: [...(uid === '0' ? [root(target)] : sudo === 'sudo' ? [passwordless(user, target)] : []), ...(await localWarnings(target))],
  };
}

/** What this machine's files and settings say, without asking the server. */
export async function localWarnings(target: SshTarget): Promise<Warning[]> {
  const readable = await Promise.all(target.identityFiles.map(isReadableByOthers));
  return [
    ...target.identityFiles
      .filter((_file, index) => readable[index])
      .map((file) => ({
        id: 'ssh.key-readable',
        message: `the private key ${file} can be read by other users of this machine`,
        remedy: `Run chmod 600 ${file}.`,
      })),
    ...(target.hostKeys === 'off'
      ? [
          {
            id: 'ssh.host-key-unchecked',
            message: `the key of a host that is not known yet is taken for granted`,
            remedy: 'Set hostKeys to accept-new or strict.',
          },
        ]
      : []),
  ];
}

async function isReadableByOthers(file: string): Promise<boolean> {
  const info = await stat(file).catch(() => undefined);
  return info !== undefined && (info.mode & 0o044) !== 0;
}

function root(target: SshTarget): Warning {
  return {
    id: 'user.root',
    message: `commands run as root on ${target.host}`,
    remedy: 'Log in as an ordinary user.',
  };
}

function passwordless(user: string, target: SshTarget): Warning {
  return {
    id: 'user.sudo',
    message: `${user} becomes root on ${describeTarget(target)} without a password`,
    remedy: 'Log in as a user without sudo, or let sudo ask.',
  };
}
