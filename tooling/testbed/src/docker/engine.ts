import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireProgram } from '../command.js';
import { clearDirectory } from '../directory.js';
import { endTree, type ProcessRecord, recordOf, startDaemon, untilAnswers } from '../processes.js';
import { engineVersion, killContainers } from './api.js';
import { type NetworkBefore, networkBefore, restoreNetwork } from './network.js';

export interface EngineOptions {
  /** Socket, data and logs go here. */
  readonly directory: string;
  /** Whether containers get a network. One engine at a time may own the machine's default bridge. */
  readonly bridge?: boolean;
}

/** A Docker Engine of our own. */
export interface Engine {
  readonly socket: string;
  readonly processes: readonly ProcessRecord[];
  readonly bridge: boolean;
  readonly network: NetworkBefore;
  /** Ends it and everything that it left: containers, mounts, the bridge. The directory stays. */
  stop(): Promise<void>;
}

/** Starts `dockerd` on a private socket with private data and waits until it answers. */
export async function startDockerEngine({ directory, bridge = !otherEngineRuns() }: EngineOptions): Promise<Engine> {
  const socket = join(directory, 'docker.sock');
  const logFile = join(directory, 'dockerd.log');
  const network = await networkBefore();
  // The machine's own configuration in /etc must not count.
  const configFile = join(directory, 'daemon.json');
  await writeFile(configFile, '{}');
  const folders = ['--data-root', join(directory, 'data'), '--exec-root', join(directory, 'exec'), '--pidfile', join(directory, 'pid')];
  const args = [...folders, '-H', `unix://${socket}`, '--config-file', configFile, '--shutdown-timeout', '2'];
  // An engine that is to have no bridge takes away the one that it finds, whoever it belongs to: so it sees a network of its own.
  const isolated = ['--bridge=none', '--iptables=false', '--ip6tables=false', '--ip-forward=false'];
  const daemon = await startDaemon({
    name: 'dockerd',
    ...(bridge
      ? { program: 'dockerd', args }
      : { program: 'unshare', args: ['--net', '--', requireProgram('dockerd'), ...args, ...isolated] }),
    logFile,
  });
  const stop = async () => {
    await killContainers(socket).catch(() => {});
    await endTree(daemon);
    await clearDirectory(join(directory, 'data'));
    await clearDirectory(join(directory, 'exec'));
    await restoreNetwork(network);
  };
  try {
    await untilAnswers(daemon, logFile, () => engineVersion(socket));
    return { socket, processes: [daemon, ...(await containerd(directory))], bridge, network, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** `dockerd` starts its own containerd, which a killed `dockerd` would leave behind. */
async function containerd(directory: string): Promise<ProcessRecord[]> {
  const pid = Number(await readFile(join(directory, 'exec/containerd/containerd.pid'), 'utf8').catch(() => ''));
  return pid > 0 ? [recordOf('containerd', pid)] : [];
}

function otherEngineRuns(): boolean {
  return readdirSync('/proc').some((entry) => {
    try {
      return /^\d+$/.test(entry) && readFileSync(`/proc/${entry}/comm`, 'utf8').trim() === 'dockerd';
    } catch {
      return false;
    }
  });
}
