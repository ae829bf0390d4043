/** What this package reads of the engine's answers. Source: the Docker Engine API, 1.24 to 1.51. */
export interface ContainerDetails {
  readonly Id: string;
  readonly Name: string;
  readonly Created: string;
  readonly State: { readonly Status: ContainerStatus; readonly StartedAt?: string };
  readonly Config: {
    readonly Hostname?: string;
    readonly Image: string;
    readonly User?: string;
    readonly WorkingDir?: string;
    readonly Labels?: Readonly<Record<string, string>> | null;
  };
  readonly HostConfig: HostConfig;
  readonly Mounts?: readonly MountPoint[];
}

export type ContainerStatus = 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead';

export interface HostConfig {
  readonly NanoCpus?: number;
  readonly Memory?: number;
  readonly PidsLimit?: number | null;
  readonly NetworkMode?: string;
  readonly Privileged?: boolean;
  readonly CapAdd?: readonly string[] | null;
  readonly SecurityOpt?: readonly string[] | null;
  readonly StorageOpt?: Readonly<Record<string, string>> | null;
}

export interface MountPoint {
  readonly Type: string;
  readonly Source: string;
  readonly Destination: string;
  readonly RW: boolean;
}

export interface ContainerSummary {
  readonly Id: string;
  readonly Created: number;
  readonly State: ContainerStatus;
  readonly Labels?: Readonly<Record<string, string>> | null;
}

export interface ImageDetails {
  readonly Id: string;
  readonly Config?: {
    readonly User?: string;
    readonly WorkingDir?: string;
    readonly Labels?: Readonly<Record<string, string>> | null;
    readonly Volumes?: Readonly<Record<string, unknown>> | null;
  } | null;
}

export interface ImageSummary {
  readonly Id: string;
  readonly RepoTags?: readonly string[] | null;
  readonly Labels?: Readonly<Record<string, string>> | null;
}

export interface EngineInfo {
  readonly ServerVersion?: string;
  readonly OSType?: string;
  readonly OperatingSystem?: string;
  readonly Architecture?: string;
  readonly Driver?: string;
  readonly CgroupVersion?: string;
  readonly MemoryLimit?: boolean;
  readonly PidsLimit?: boolean;
  readonly SecurityOptions?: readonly string[] | null;
  readonly Name?: string;
}

export interface ExecDetails {
  readonly Running: boolean;
  readonly ExitCode: number | null;
}
