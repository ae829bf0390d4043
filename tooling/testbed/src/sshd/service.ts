import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command, requireProgram } from '../command.js';
import { endTree, type ProcessRecord } from '../processes.js';
import { allOrNothing, type Service, type StartContext, type Started } from '../service.js';
import { authorize, makeKey, makeKeys, type SshKeys, startAgent } from './keys.js';
import { greeting, type SshServerOptions, startSshServer } from './server.js';
import { makeUsers, removeUsers, type SshUsers } from './users.js';

export interface SshServerInfo {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  readonly hostKey: string;
  readonly logFile: string;
}

/** A server for each way in which a server may be awkward. */
type ServerKind = 'main' | 'jump' | 'noSftp' | 'oneSession' | 'noForwarding';

/** Servers whose sessions see other mounts; only root can make those. */
type MountedServerKind = 'smallDisk' | 'noexecTmp' | 'busybox';

export interface SshdInfo {
  readonly servers: Readonly<Record<ServerKind, SshServerInfo>> & Partial<Readonly<Record<MountedServerKind, SshServerInfo>>>;
  readonly users: SshUsers;
  readonly keys: SshKeys;
  /** Holds an authorised key that lies in no file. */
  readonly agent: { readonly socket: string; readonly publicKey: string };
  /** A `known_hosts` file with the key of every server. */
  readonly knownHosts: string;
  readonly authorizedKeys: string;
  /** A host key that no server has: for a server of a test's own, or a line that does not match. */
  readonly spareHostKey: string;
}

type Variant = Pick<SshServerOptions, 'sftp' | 'config' | 'mounts'>;

const variants: Readonly<Record<ServerKind, Variant>> = {
  main: {},
  jump: {},
  noSftp: { sftp: false },
  oneSession: { config: ['MaxSessions 1'] },
  noForwarding: { config: ['AllowTcpForwarding no'] },
};

function mountedVariants(users: SshUsers, applets: string): Readonly<Record<MountedServerKind, Variant>> {
  const small = `size=2m,uid=${users.bash.uid}`;
  return {
    smallDisk: { mounts: ['mount -t tmpfs -o size=2m,mode=1777 tmpfs /tmp', `mount -t tmpfs -o ${small} tmpfs '${users.bash.home}'`] },
    noexecTmp: { mounts: ['mount -t tmpfs -o noexec,mode=1777 tmpfs /tmp'] },
    // Nothing else of the machine is found: neither bash nor GNU's tools. `/bin` may be a folder of its own or a link to `/usr/bin`.
    busybox: { mounts: [`for d in /usr/local/bin /usr/bin /bin; do mount --bind '${applets}' $d; done`] },
  };
}

/** OpenSSH servers on the loopback address, with users, keys and an agent of their own. */
export const sshd: Service<SshdInfo> = {
  name: 'sshd',
  needs: () => [
    { program: 'sshd', debianPackage: 'openssh-server' },
    { program: 'ssh-keygen', debianPackage: 'openssh-client' },
    { program: 'ps', debianPackage: 'procps' },
    // Only root makes users with other login shells.
    ...(process.getuid?.() === 0
      ? [
          { program: 'fish', debianPackage: 'fish' },
          { program: 'busybox', debianPackage: 'busybox-static' },
        ]
      : []),
  ],
  start,
  async probe({ servers }) {
    await Promise.all(Object.values(servers).map(({ port }) => greeting(port)));
  },
  clean: removeUsers,
};

function start({ directory }: StartContext): Promise<Started<SshdInfo>> {
  return allOrNothing(async (undo) => {
    const keyFolder = join(directory, 'keys');
    await mkdir(keyFolder, { mode: 0o755 });
    undo(removeUsers);
    const users = await makeUsers(directory);
    const keys = await makeKeys(keyFolder);
    const agentKey = await makeKey(join(keyFolder, 'agent'));
    const authorizedKeys = join(keyFolder, 'authorized_keys');
    await authorize(authorizedKeys, [keys.plain, keys.rsa, keys.encrypted.path, agentKey]);
    const agent = await startAgent(directory, agentKey);
    undo(() => endTree(agent.process));

    const processes: ProcessRecord[] = [agent.process];
    const knownHosts: string[] = [];
    const launch = async (name: string, variant: Variant): Promise<SshServerInfo> => {
      const hostKey = await makeKey(join(keyFolder, `host-${name}`));
      const server = await startSshServer({ name, directory, hostKey, authorizedKeys, ...variant });
      undo(server.stop);
      processes.push(server.process);
      knownHosts.push(`[${server.host}]:${server.port} ${await readFile(`${hostKey}.pub`, 'utf8')}`);
      return { host: server.host, port: server.port, pid: server.process.pid, hostKey, logFile: server.logFile };
    };
    const servers = await each(variants, launch);
    const mounted = process.getuid?.() === 0 ? await each(mountedVariants(users, await makeApplets(directory)), launch) : {};

    const knownHostsFile = join(directory, 'known_hosts');
    await writeFile(knownHostsFile, knownHosts.join(''));
    const info: SshdInfo = {
      servers: { ...servers, ...mounted },
      users,
      keys,
      agent: { socket: agent.socket, publicKey: `${agentKey}.pub` },
      knownHosts: knownHostsFile,
      authorizedKeys,
      spareHostKey: await makeKey(join(keyFolder, 'host-spare')),
    };
    return { info, processes };
  });
}

/** A folder that holds busybox and a link for each of its applets, none of which leads out of it. */
async function makeApplets(directory: string): Promise<string> {
  const applets = join(directory, 'applets');
  await mkdir(applets, { mode: 0o755 });
  await copyFile(requireProgram('busybox'), join(applets, 'busybox'));
  const names = await command(join(applets, 'busybox'), ['--list']);
  const others = names.split('\n').filter((name) => name !== '' && name !== 'busybox');
  await Promise.all(others.map((name) => symlink('busybox', join(applets, name))));
  return applets;
}

async function each<Kind extends string>(
  kinds: Readonly<Record<Kind, Variant>>,
  launch: (name: string, variant: Variant) => Promise<SshServerInfo>,
): Promise<Record<Kind, SshServerInfo>> {
  const started = await Promise.all(
    (Object.entries(kinds) as [Kind, Variant][]).map(
      async ([name, variant]): Promise<[Kind, SshServerInfo]> => [name, await launch(name, variant)],
    ),
  );
  return Object.fromEntries(started) as Record<Kind, SshServerInfo>;
}
