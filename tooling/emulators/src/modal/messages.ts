import type { Descriptions } from './wire/protobuf.js';

const sandboxById = '1 sandboxId';
const result = '1 result:GenericResult, 2 metadata:SandboxMetadata';

/** The messages of the two services, as far as sandboxes need them, in our own short form. Modelled on the SDK 0.11.1. */
export const descriptions: Descriptions = {
  Empty: '',
  GenericResult: '1 status:int, 2 exception, 3 exitcode:int',
  SandboxMetadata: '1 result:GenericResult, 2 appId',
  Tag: '1 tagName, 2 tagValue',
  StringMap: '1 contents:map',
  SecretSource: '1 secretId, 2 env:StringMap',
  RouterAccess: '1 jwt, 2 url',
  Tunnel: '1 host, 2 port:int, 3 unencryptedHost, 4 unencryptedPort:int, 5 containerPort:int',

  AuthToken: '1 token',
  AppRequest: '1 appName, 2 environmentName, 3 objectCreationType:int',
  App: '1 appId',
  EnvironmentRequest: '1 deploymentName, 2 objectCreationType:int',
  Environment: '1 environmentId, 2 metadata:EnvironmentMetadata',
  EnvironmentMetadata: '1 name, 2 settings:EnvironmentSettings',
  EnvironmentSettings: '1 imageBuilderVersion, 2 webhookSuffix',
  ImageRequest: '2 image:ImageDefinition, 4 appId, 5 existingImageId, 7 forceBuild:bool, 9 builderVersion',
  ImageDefinition: '5 baseImages:BaseImage[], 6 dockerfileCommands:string[]',
  BaseImage: '1 imageId, 2 dockerTag',
  Image: '1 imageId, 2 result:GenericResult',
  ImageById: '1 imageId',
  SecretRequest: '1 deploymentName, 3 environmentName, 4 objectCreationType:int, 5 envDict:map, 7 requiredKeys:string[]',
  Secret: '1 secretId',
  VolumeRequest: '1 deploymentName, 3 environmentName, 4 objectCreationType:int, 6 version:int',
  Volume: '1 volumeId',

  SandboxCreate: '1 appId, 2 definition:Definition, 3 environmentName, 4 tags:Tag[], 6 secretSources:SecretSource[]',
  SandboxCreated: '1 sandboxId, 2 metadata:SandboxMetadata',
  SandboxCreatedV2: '1 sandboxId, 2 tunnels:Tunnel[], 3 taskId, 4 metadata:SandboxMetadata, 5 commandRouterAccess:RouterAccess',
  Definition:
    '1 entrypointArgs:string[], 3 imageId, 4 secretIds:string[], 5 resources:Resources, 7 timeoutSecs:int, 8 workdir, 13 volumeMounts:VolumeMount[], 17 placement:Placement, 20 openPorts:Ports, 22 networkAccess:NetworkAccess, 30 name, 33 idleTimeoutSecs:int, 41 experimentalOptions:map',
  Resources: '2 memoryMb:int, 3 milliCpu:int, 4 gpuConfig:Gpu, 5 memoryMbMax:int, 6 ephemeralDiskMb:int, 7 milliCpuMax:int',
  Gpu: '2 count:int, 4 gpuType',
  VolumeMount: '1 volumeId, 2 mountPath, 4 readOnly:bool, 5 subPath',
  Placement: '4 regions:string[]',
  Ports: '1 ports:Port[]',
  Port: '1 port:int, 2 unencrypted:bool, 3 tunnelType:int',
  NetworkAccess: '1 type:int, 2 allowedCidrs:string[], 3 allowedDomains:string[]',

  SandboxById: sandboxById,
  SandboxTimed: `${sandboxById}, 2 timeout:float, 3 waitUntilReady:bool`,
  SandboxTask: '1 taskId, 2 taskResult:GenericResult',
  SandboxResult: result,
  SandboxTerminated: '1 existingResult:GenericResult',
  SandboxFromName: '1 sandboxName, 2 environmentName, 3 appName, 4 includeTerminated:bool',
  SandboxFound: '1 sandboxId, 2 metadata:SandboxMetadata',
  SandboxListRequest: '1 appId, 2 beforeTimestamp:double, 3 environmentName, 4 includeFinished:bool, 5 tags:Tag[]',
  SandboxList: '1 sandboxes:SandboxRow[]',
  SandboxRow:
    '1 id, 3 createdAt:double, 4 taskInfo:TaskInfo, 5 appId, 6 tags:Tag[], 7 name, 8 imageId, 11 timeoutSecs:int, 12 idleTimeoutSecs:int',
  TaskInfo: '1 id, 2 startedAt:double, 3 finishedAt:double, 4 result:GenericResult',
  Tags: '1 tags:Tag[]',
  TagsSet: '1 environmentName, 2 sandboxId, 3 tags:Tag[]',
  Tunnels: '1 result:GenericResult, 2 tunnels:Tunnel[]',
  RouterAccessRequest: '1 sandboxId, 2 taskId',
  TaskById: '1 taskId',
  ExitSnapshot: '1 success:ImageById, 2 pending:Empty, 3 error:ExitSnapshotError',
  ExitSnapshotError: '1 errorCode:int, 2 message',
  ConnectTokenRequest: '1 sandboxId, 2 userMetadata, 3 port:int',
  ConnectToken: '1 url, 2 token',

  ExecStart:
    '1 taskId, 2 execId, 3 commandArgs:string[], 4 stdoutConfig:int, 5 stderrConfig:int, 6 timeoutSecs:int, 7 workdir, 8 secretIds:string[], 9 ptyInfo:Pty, 13 secretSources:SecretSource[]',
  Pty: '1 enabled:bool, 2 rows:int, 3 columns:int, 4 term',
  StdioRead: '1 taskId, 2 execId, 3 offset:int, 4 fileDescriptor:int',
  Stdio: '1 data:bytes',
  StdinWrite: '1 taskId, 2 execId, 3 offset:int, 4 data:bytes, 5 eof:bool',
  StdinStream: '1 start:StdinStart, 2 data:bytes, 3 end:Empty',
  StdinStart: '1 taskId, 2 execId, 3 offset:int',
  ExecById: '1 taskId, 2 execId',
  StdinStatus: '1 written:int, 2 closed:bool',
  ExecEnd: '1 code:int, 2 signal:int',
  SnapshotRequest: '1 taskId, 2 snapshotId, 3 ttlSeconds:int',

  Status: '1 code:int, 2 message, 3 details:Any[]',
  Any: '1 typeUrl, 2 value:bytes',
  RetryPolicy: '1 retryAfterSecs:float',
};

export interface GenericResult {
  readonly status: number;
  readonly exception?: string;
  readonly exitcode?: number;
}

/** What became of a sandbox, in the service's numbers. */
export const ended = { success: 1, failure: 2, terminated: 3, timeout: 4, initFailure: 5, idleTimeout: 7 } as const;

export interface Tag {
  readonly tagName?: string;
  readonly tagValue?: string;
}

export interface SecretSource {
  readonly secretId?: string;
  readonly env?: { readonly contents: Readonly<Record<string, string>> };
}

export interface Definition {
  readonly entrypointArgs: readonly string[];
  readonly imageId?: string;
  readonly secretIds: readonly string[];
  readonly resources?: {
    readonly memoryMb?: number;
    readonly memoryMbMax?: number;
    readonly milliCpu?: number;
    readonly milliCpuMax?: number;
    readonly gpuConfig?: { readonly count?: number; readonly gpuType?: string };
  };
  readonly timeoutSecs?: number;
  readonly workdir?: string;
  readonly volumeMounts: readonly { readonly volumeId?: string; readonly mountPath?: string; readonly readOnly?: boolean }[];
  readonly placement?: { readonly regions: readonly string[] };
  readonly openPorts?: { readonly ports: readonly { readonly port?: number; readonly unencrypted?: boolean }[] };
  readonly networkAccess?: { readonly type?: number; readonly allowedCidrs: readonly string[]; readonly allowedDomains: readonly string[] };
  readonly name?: string;
  readonly idleTimeoutSecs?: number;
  readonly experimentalOptions: Readonly<Record<string, string>>;
}

export interface SandboxCreate {
  readonly appId?: string;
  readonly definition?: Definition;
  readonly tags: readonly Tag[];
  readonly secretSources: readonly SecretSource[];
}

export interface ExecStart {
  readonly taskId?: string;
  readonly execId?: string;
  readonly commandArgs: readonly string[];
  readonly stdoutConfig?: number;
  readonly stderrConfig?: number;
  readonly timeoutSecs?: number;
  readonly workdir?: string;
  readonly secretIds: readonly string[];
  readonly ptyInfo?: { readonly enabled?: boolean; readonly rows?: number; readonly columns?: number; readonly term?: string };
  readonly secretSources: readonly SecretSource[];
}
