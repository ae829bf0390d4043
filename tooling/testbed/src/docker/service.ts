import { join } from 'node:path';
import { allOrNothing, type Service, type StartContext, type Started } from '../service.js';
import { engineVersion, hasImage, importImage, killContainers } from './api.js';
import { startDockerEngine } from './engine.js';
import { busyboxTar, debianTar } from './images.js';
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
  readonly network: NetworkBefore;
}

const images = { debian: 'petasos-testbed/debian:bookworm', busybox: 'petasos-testbed/busybox:latest' } as const;

/** A private Docker Engine with two images, since none can be pulled where there is no network. */
export const docker: Service<DockerInfo> = {
  name: 'docker',
  needs: [
    { program: 'dockerd', debianPackage: 'docker.io' },
    { program: 'iptables', debianPackage: 'iptables' },
    { program: 'ip', debianPackage: 'iproute2' },
    { program: 'debootstrap', debianPackage: 'debootstrap' },
    { program: 'busybox', debianPackage: 'busybox-static' },
  ],
  start,
  async probe({ socket, images: expected }) {
    await engineVersion(socket);
    for (const image of Object.values(expected)) {
      if (!(await hasImage(socket, image))) throw new Error(`${image} is missing`);
    }
  },
  beforeStop: ({ socket }) => killContainers(socket),
  clean: ({ network }) => restoreNetwork(network),
};

function start({ directory, cache, log }: StartContext): Promise<Started<DockerInfo>> {
  return allOrNothing(async (undo) => {
    const tars = { debian: await debianTar(cache, log), busybox: await busyboxTar(cache) };
    const engine = await startDockerEngine({ directory });
    undo(engine.stop);
    await importImage(engine.socket, tars.debian, images.debian, ['CMD ["bash"]']);
    await importImage(engine.socket, tars.busybox, images.busybox, ['CMD ["sh"]']);
    const info: DockerInfo = {
      socket: engine.socket,
      host: `unix://${join(directory, 'docker.sock')}`,
      images,
      tars,
      bridge: engine.bridge,
      network: engine.network,
    };
    return { info, processes: engine.processes };
  });
}
