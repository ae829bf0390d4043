import type { GateRequest } from '../../../src/contract/gate.js';
import type { Placement } from '../../../src/contract/placement.js';

const laptop: Placement = {
  backend: 'local',
  sandbox: 'main',
  machine: { name: 'laptop', os: 'linux' },
  user: { name: 'dev', uid: 1000 },
  shell: { path: '/bin/bash', kind: 'bash' },
  workdir: '/home/dev/project',
  home: '/home/dev',
  mounts: [],
  forwarded: [],
  network: { mode: 'open' },
  limits: {},
  isolation: 'none',
  storage: 'host',
  lifetimeLeftMs: null,
  cost: { class: 'free' },
  agent: { machine: 'laptop', kind: 'host' },
  warnings: [],
};

export const throwaway: Placement = {
  ...laptop,
  backend: 'docker',
  machine: { name: 'f00d', os: 'linux', image: 'node:22' },
  isolation: 'container',
  storage: 'ephemeral',
  cost: { class: 'metered', perHourUsd: 3.6 },
};

export interface RequestOptions extends Partial<Omit<GateRequest, 'placement' | 'readFile'>> {
  readonly place?: Placement | undefined;
  readonly files?: Map<string, string> | undefined;
}

/** A request as the sandbox makes it. */
export function request(command: string, options: RequestOptions = {}): GateRequest {
  const { place = laptop, files = new Map<string, string>(), ...rest } = options;
  return {
    operation: 'exec',
    command,
    cwd: '/home/dev/project',
    env: {},
    sandbox: { backend: place.backend, id: `${place.backend}-1`, name: 'main' },
    placement: async () => place,
    readFile: async (path, maxBytes) => {
      const text = files.get(path);
      return text === undefined ? undefined : new TextEncoder().encode(text).subarray(0, maxBytes);
    },
    ...rest,
  };
}

export const success = { ended: 'exited', exitCode: 0, durationMs: 1000, stdoutBytes: 3, stderrBytes: 0 };
