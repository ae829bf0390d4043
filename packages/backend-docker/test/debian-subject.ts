import docker from '@petasos/backend-docker';
import { defineSubject } from '@petasos/core/conformance';
import { clientOf } from '@petasos/testbed';
import { faults, host, testbed, tmpfs } from './place.js';

const options = { host, image: testbed.images.debian, pull: 'never', user: 'root', tmpfs } as const;

/** Debian with bash, as root, files kept: the defaults. */
export const subject = defineSubject({
  backend: docker,
  options,
  faults,
  spawnClient: clientOf(import.meta.url),
  modes: {
    'network.none': { ...options, network: false },
    'limits.cpu': { ...options, cpus: 0.5 },
    'limits.memory': { ...options, memoryMiB: 64 },
    'limits.pids': { ...options, pids: 64 },
  },
});
