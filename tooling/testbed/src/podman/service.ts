import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireProgram } from '../command.js';
import { engineVersion, removeContainers } from '../docker/api.js';
import { busyboxTar, debianTar, imageNames, importImages, requireImages } from '../docker/images.js';
import type { DockerInfo } from '../docker/service.js';
import { endTree, startDaemon, untilAnswers } from '../processes.js';
import { allOrNothing, type Service, type StartContext, type Started } from '../service.js';

/** As of an engine of docker's, whose interface it has. */
export type PodmanInfo = Pick<DockerInfo, 'socket' | 'host' | 'images'>;

/** Podman's service with storage of its own, and the two images. */
export const podman: Service<PodmanInfo> = {
  name: 'podman',
  needs: () => [
    { program: 'podman', debianPackage: 'podman' },
    { program: 'catatonit', debianPackage: 'catatonit' },
    { program: '/usr/lib/cni/bridge', debianPackage: 'containernetworking-plugins' },
    { program: 'ip', debianPackage: 'iproute2' },
    { program: 'iptables', debianPackage: 'iptables' },
    { program: 'debootstrap', debianPackage: 'debootstrap' },
    { program: 'busybox', debianPackage: 'busybox-static' },
  ],
  start,
  probe: requireImages,
  beforeStop: ({ socket }) => removeContainers(socket),
};

function start({ directory, cache, log }: StartContext): Promise<Started<PodmanInfo>> {
  return allOrNothing(async (undo) => {
    if (process.getuid?.() !== 0) throw new Error('podman is run as root here');
    const tars = { debian: await debianTar(cache, log), busybox: await busyboxTar(cache) };
    const socket = join(directory, 'podman.sock');
    const conf = join(directory, 'containers.conf');
    await writeFile(conf, await settings());
    const logFile = join(directory, 'podman.log');
    const storage = ['--root', join(directory, 'root'), '--runroot', join(directory, 'run'), '--cgroup-manager', 'cgroupfs'];
    const service = [requireProgram('podman'), ...storage, 'system', 'service', '--time', '0', `unix://${socket}`];
    // Its bridge, its rules, its mounts and what it keeps below /var/lib are its own, and gone with it.
    const daemon = await startDaemon({
      name: 'podman',
      program: 'unshare',
      args: [
        '--net',
        '--mount',
        '--',
        'sh',
        '-c',
        'ip link set lo up && mkdir -p /var/lib/cni && mount -t tmpfs cni /var/lib/cni && exec "$@"',
        'sh',
        ...service,
      ],
      env: { ...process.env, CONTAINERS_CONF: conf },
      logFile,
    });
    undo(() => endTree(daemon));
    await untilAnswers(daemon, logFile, () => engineVersion(socket));
    await importImages(socket, tars);
    return { info: { socket, host: `unix://${socket}`, images: imageNames }, processes: [daemon] };
  });
}

/** By itself podman asks for more open files and processes than a machine may allow even root. */
async function settings(): Promise<string> {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const files = /^Max open files\s+\w+\s+(\d+)/m.exec(limits)?.[1] ?? '1024';
  return `[containers]
default_ulimits = ["nofile=${files}:${files}", "nproc=16384:16384"]
[network]
network_backend = "cni"
`;
}
