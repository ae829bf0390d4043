import type { Box } from '../core/index.js';
import type { Ptys } from './pty.js';
import type { Sessions } from './sessions.js';

export type State =
  | 'creating'
  | 'restoring'
  | 'started'
  | 'starting'
  | 'stopping'
  | 'stopped'
  | 'archiving'
  | 'archived'
  | 'snapshotting'
  | 'destroying'
  | 'destroyed'
  | 'error';

/** What a client asks for at `POST /sandbox`, in the service's names. */
export interface CreateBody {
  name?: string;
  snapshot?: string;
  buildInfo?: { dockerfileContent?: string };
  user?: string;
  env?: Record<string, string>;
  labels?: Record<string, string>;
  public?: boolean;
  target?: string;
  cpu?: number;
  memory?: number;
  disk?: number;
  autoStopInterval?: number;
  autoArchiveInterval?: number;
  autoDeleteInterval?: number;
  ttlMinutes?: number;
  volumes?: { volumeId: string; mountPath: string; subpath?: string }[];
  networkBlockAll?: boolean;
  networkAllowList?: string;
  domainAllowList?: string;
}

/** One sandbox as the service knows it. */
export interface Sandbox {
  readonly box: Box<State>;
  readonly sessions: Sessions;
  readonly ptys: Ptys;
  readonly wanted: CreateBody;
  autoStopInterval: number;
  autoArchiveInterval: number;
  autoDeleteInterval: number;
  lastActivityAt: Date;
  autoDestroyAt?: Date;
  errorReason?: string;
}

/** The sandbox object of the wire. */
export function describe(sandbox: Sandbox, toolboxProxyUrl: string): Record<string, unknown> {
  const { box, wanted } = sandbox;
  return {
    id: box.id,
    organizationId: '00000000-0000-4000-8000-000000000001',
    name: box.name,
    snapshot: wanted.buildInfo ? undefined : (wanted.snapshot ?? 'daytona-small'),
    user: wanted.user ?? 'daytona',
    env: wanted.env ?? {},
    labels: box.labels,
    public: wanted.public ?? false,
    networkBlockAll: wanted.networkBlockAll ?? false,
    networkAllowList: wanted.networkAllowList,
    domainAllowList: wanted.domainAllowList,
    target: wanted.target ?? 'us',
    cpu: wanted.cpu ?? 1,
    gpu: 0,
    memory: wanted.memory ?? 1,
    disk: wanted.disk ?? 3,
    state: box.state,
    errorReason: sandbox.errorReason,
    autoStopInterval: sandbox.autoStopInterval,
    autoArchiveInterval: sandbox.autoArchiveInterval,
    autoDeleteInterval: sandbox.autoDeleteInterval,
    autoDestroyAt: sandbox.autoDestroyAt?.toISOString(),
    volumes: wanted.volumes ?? [],
    buildInfo: wanted.buildInfo,
    createdAt: box.createdAt.toISOString(),
    updatedAt: box.createdAt.toISOString(),
    lastActivityAt: sandbox.lastActivityAt.toISOString(),
    daemonVersion: '0.190.0',
    toolboxProxyUrl,
  };
}
