import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh from '@petasos/backend-ssh';
import { admitAll, open, type Sandbox } from '@petasos/core';
import { need } from '@petasos/testbed';
import { rawSpawn } from '../raw.js';

/** A sandbox on the testbed's server, and OpenSSH's own programs on a warm connection to the same one. */
export interface SshPlace {
  readonly sandbox: Sandbox;
  /** Arguments of `ssh` and `scp` that use the connection that is kept open. */
  readonly options: readonly string[];
  /** `user@host`, as both programs take it. */
  readonly destination: string;
  /** A directory of the server that goes with the measurement. */
  readonly directory: string;
  /** `ssh` with this command text, its output read and counted. */
  openSsh(command: string): Promise<number>;
}

export async function withSsh<T>(action: (place: SshPlace) => Promise<T>): Promise<T> {
  const { servers, users, keys, knownHosts } = await need('sshd');
  const { host, port } = servers.main;
  const folder = await mkdtemp(join(tmpdir(), 'bench-ssh-'));
  const control = join(folder, 'control');
  const settings = ['BatchMode=yes', `UserKnownHostsFile=${knownHosts}`, `ControlPath=${control}`, `Port=${port}`, 'IdentityAgent=none'];
  const options = ['-F', 'none', '-i', keys.plain, ...settings.flatMap((setting) => ['-o', setting])];
  const destination = `${users.bash.name}@${host}`;
  await rawSpawn('ssh', [
    ...options,
    '-o',
    'ControlMaster=yes',
    '-o',
    'ControlPersist=yes',
    '-o',
    'ServerAliveInterval=0',
    destination,
    'true',
  ]);
  const login = { host, port, user: users.bash.name, key: keys.plain, agent: false, configFile: false, knownHosts: [knownHosts] };
  const sandbox = await open(ssh, { options: login, gate: admitAll() });
  try {
    const directory = (await sandbox.exec('mktemp -d')).stdout.trim();
    const place = { sandbox, options, destination, directory, openSsh: (text: string) => rawSpawn('ssh', [...options, destination, text]) };
    try {
      return await action(place);
    } finally {
      await sandbox.files.remove(directory, { recursive: true });
    }
  } finally {
    await sandbox.destroy();
    await rawSpawn('ssh', [...options, '-O', 'exit', destination]);
    await rm(folder, { recursive: true, force: true });
  }
}
