import { homedir } from 'node:os';
import { join } from 'node:path';
import { allOrNothing, type Service, type StartContext, type Started } from '../service.js';
import { engineVersion, exportImage, hasImage, killContainers, pullImage } from './api.js';
import { startDockerEngine } from './engine.js';
import { busyboxTar, debianTar, imageNames, importImages, requireImages } from './images.js';
import { type NetworkBefore, restoreNetwork } from './network.js';

export interface DockerInfo {
  /** Path of the engine's socket. */
  readonly socket: string;
  /** What `DOCKER_HOST` is set to. */
  readonly host: string;
  readonly images: {
    /** Debian with bash. */
    readonly debian: string;
    /** busybox: a POSIX `sh`, no bash. Its user 1000 is called `user`. */
    readonly busybox: string;
  };
  /** Tar files of the same root file systems, for images with other settings ({@link importImage}) or other tools. */
  readonly tars: { readonly debian: string; readonly busybox: string };
  /** Whether containers have a network of their own. */
  readonly bridge: boolean;
  /** What {@link Service.clean} takes back; absent where the engine was there before. */
  readonly network?: NetworkBefore | undefined;
}

/** A private Docker Engine, or the one that is there, with two images. */
export const docker: Service<DockerInfo> = {
  name: 'docker',
  needs: () => (ownEngine() ? enginePrograms : []),
  start: (context) => (ownEngine() ? startOwn(context) : useExisting(context)),
  probe: requireImages,
  async beforeStop({ socket, network }) {
    if (network !== undefined) await killContainers(socket);
  },
  async clean({ network }) {
    if (network !== undefined) await restoreNetwork(network);
  },
};

const enginePrograms = [
  { program: 'dockerd', debianPackage: 'docker.io' },
  { program: 'iptables', debianPackage: 'iptables' },
  { program: 'ip', debianPackage: 'iproute2' },
  { program: 'debootstrap', debianPackage: 'debootstrap' },
  { program: 'busybox', debianPackage: 'busybox-static' },
];

/** Only root on Linux can run an engine of its own; where `PETASOS_TESTBED_DOCKER` names a socket, that one is wanted. */
function ownEngine(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0 && process.env.PETASOS_TESTBED_DOCKER === undefined;
}

function startOwn({ directory, cache, log }: StartContext): Promise<Started<DockerInfo>> {
  return allOrNothing(async (undo) => {
    const tars = { debian: await debianTar(cache, log), busybox: await busyboxTar(cache) };
    const engine = await startDockerEngine({ directory });
    undo(engine.stop);
    await importImages(engine.socket, tars);
    const { socket, bridge, network, processes } = engine;
    return { info: { socket, host: `unix://${socket}`, images: imageNames, tars, bridge, network }, processes };
  });
}

/** Nothing of it is started here, so nothing of it will be stopped; its two images stay. */
async function useExisting({ directory, log }: StartContext): Promise<Started<DockerInfo>> {
  const socket = await existingSocket();
  log(`using the engine at ${socket}`);
  for (const [kind, source] of [
    ['debian', 'debian:bookworm-slim'],
    ['busybox', 'busybox:stable'],
  ] as const) {
    if (!(await hasImage(socket, imageNames[kind]))) await pullImage(socket, source, imageNames[kind]);
  }
  const tars = { debian: join(directory, 'debian.tar'), busybox: join(directory, 'busybox.tar') };
  for (const kind of ['debian', 'busybox'] as const) await exportImage(socket, imageNames[kind], tars[kind]);
  return { info: { socket, host: `unix://${socket}`, images: imageNames, tars, bridge: true }, processes: [] };
}

async function existingSocket(): Promise<string> {
  const named = process.env.PETASOS_TESTBED_DOCKER ?? process.env.DOCKER_HOST;
  const candidates = named === undefined ? ['/var/run/docker.sock', join(homedir(), '.docker/run/docker.sock')] : [named];
  for (const candidate of candidates) {
    const socket = candidate.replace(/^unix:\/\//, '');
    if (
      await engineVersion(socket).then(
        () => true,
        () => false,
      )
    )
      return socket;
  }
  throw new Error(`no Docker Engine answers at ${candidates.join(' or ')}; start one, or run this as root on Debian`);
}
