import { mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { findProgram } from '../command.js';
import { endTree, type ProcessRecord, startDaemon, untilAnswers } from '../processes.js';

export interface SshServerOptions {
  /** Name of the server; its files are called after it. */
  readonly name: string;
  readonly directory: string;
  /** Private host key. */
  readonly hostKey: string;
  /** File with the public keys that may log in. */
  readonly authorizedKeys: string;
  readonly sftp?: boolean;
  /** Further lines of sshd_config. */
  readonly config?: readonly string[];
  /** Shell commands that run in the server's own mount namespace before it: other mounts for its sessions. Root only. */
  readonly mounts?: readonly string[];
  /** Absent: a free one. Given: to start a server again where it was. */
  readonly port?: number;
}

/** One OpenSSH server on the loopback address. */
export interface SshServer {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly process: ProcessRecord;
  /** Its own log, with one line for each connection. */
  readonly logFile: string;
  /** Ends the server and every session that it serves. */
  stop(): Promise<void>;
}

const host = '127.0.0.1';

/** Starts `sshd` with a configuration of its own and waits for its greeting. Nothing of the machine's configuration counts. */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const { name, directory, hostKey, authorizedKeys, sftp = true, config = [], mounts = [] } = options;
  const port = options.port ?? (await freePort());
  const file = join(directory, `${name}.conf`);
  const logFile = join(directory, `${name}.log`);
  const lines = [
    // The first value of a keyword counts, so a server's own lines stand before the common ones.
    ...config,
    `Port ${port}`,
    `ListenAddress ${host}`,
    `HostKey "${hostKey}"`,
    `AuthorizedKeysFile "${authorizedKeys}"`,
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    // The keys lie in a temporary folder that others may enter; there is no PAM to ask where sshd is not root.
    'StrictModes no',
    'UsePAM no',
    'PidFile none',
    'PrintMotd no',
    'PrintLastLog no',
    'MaxStartups 200:30:400',
    'LogLevel VERBOSE',
    ...(sftp ? ['Subsystem sftp internal-sftp'] : []),
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  // sshd wants this folder even when it does not separate privileges in it.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const sshd = findProgram('sshd') ?? 'sshd';
  const foreground = [sshd, '-D', '-e', '-f', file] as const;
  const args =
    mounts.length === 0 ? foreground : ['unshare', '--mount', 'sh', '-c', [...mounts, 'exec "$@"'].join(' && '), 'sh', ...foreground];
  const [program, ...rest] = args;
  const daemon = await startDaemon({ name: `sshd ${name}`, program: program ?? sshd, args: rest, logFile });
  const stop = () => endTree(daemon);
  try {
    await untilAnswers(daemon, logFile, () => greeting(port));
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, host, port, process: daemon, logFile, stop };
}

/** The first line that the server sends, such as `SSH-2.0-OpenSSH_9.2p1`. */
export function greeting(port: number, timeoutMs = 5_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no greeting')));
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.end();
      const text = data.toString('latin1');
      if (text.startsWith('SSH-2.0-')) resolve(text.trim());
      else reject(new Error(`not an SSH server: ${text}`));
    });
    socket.once('close', () => reject(new Error('closed without a greeting')));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no free port'))));
    });
  });
}
