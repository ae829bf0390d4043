import { setTimeout as delay } from 'node:timers/promises';
import type { EmulatorContext } from '../core/emulator.js';
import type { Account, SandboxVersion } from './account.js';
import type { ModalKnobs } from './knobs.js';
import { ended, type SandboxCreate, type Tag } from './messages.js';
import type { ModalSandbox } from './sandbox.js';
import type { Tokens } from './tokens.js';
import type { CallInfo, Method } from './wire/grpc-server.js';
import type { Codec } from './wire/protobuf.js';
import { code, GrpcProblem } from './wire/status.js';

export interface ControlPlaneParts {
  readonly context: EmulatorContext<ModalKnobs>;
  readonly account: Account;
  readonly codec: Codec;
  readonly authTokens: Tokens;
  readonly routerTokens: Tokens;
  /** Where the command router answers. */
  routerUrl(): string;
  /** Where connect tokens are honoured, and a new token for this sandbox and port. */
  connect(sandbox: ModalSandbox, port: number): { readonly url: string; readonly token: string };
}

interface ById {
  readonly sandboxId?: string;
}

type Timed = ById & { readonly timeout?: number };

/** The methods of `modal.client.ModalClient` that sandboxes need. */
export function controlPlane(parts: ControlPlaneParts): Map<string, Method> {
  const { account, context } = parts;
  const methods = new Map<string, Method>();
  const unary = <Request>(
    names: string,
    request: string,
    response: string,
    run: (request: Request, call: CallInfo, version: SandboxVersion) => Promise<object> | object,
  ) => {
    for (const name of names.split(' ')) {
      const version = name.endsWith('V2') ? 'v2' : 'v1';
      methods.set(`/modal.client.ModalClient/${name}`, {
        kind: 'unary',
        request,
        response,
        run: (message, call) => once(name, call, () => run(message as Request, call, version)),
      });
    }
  };
  const answers = new Map<string, Promise<object>>();
  const once = (name: string, { headers }: CallInfo, run: () => Promise<object> | object): Promise<object> => {
    const key = `${name} ${headers['x-idempotency-key']}`;
    const known = context.knobs.idempotencyKeys ? answers.get(key) : undefined;
    const answer = known ?? (async () => run())();
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    return answer;
  };
  const access = (sandbox: ModalSandbox) => ({
    jwt: parts.routerTokens.give(sandbox.spec.taskId, context.knobs.routerTokenSeconds),
    url: parts.routerUrl(),
  });

  unary('AuthTokenGet', 'Empty', 'AuthToken', () => ({ token: parts.authTokens.give('account', 1200) }));
  unary<{ appName?: string; objectCreationType?: number }>(
    'AppGetOrCreate',
    'AppRequest',
    'App',
    ({ appName = '', objectCreationType }) => ({
      appId: account.app(appName, objectCreationType === 1),
    }),
  );
  unary('EnvironmentGetOrCreate', 'EnvironmentRequest', 'Environment', () => ({
    environmentId: 'en-emulated',
    metadata: { name: 'main', settings: { imageBuilderVersion: '2025.06', webhookSuffix: '' } },
  }));
  unary<{ image?: { baseImages: { imageId?: string }[]; dockerfileCommands: string[] } }>(
    'ImageGetOrCreate',
    'ImageRequest',
    'Image',
    ({ image }) => {
      const bases = (image?.baseImages ?? []).map(({ imageId = '' }) => imageId);
      for (const base of bases) account.requireImage(base);
      return { imageId: account.image([...bases, ...(image?.dockerfileCommands ?? [])]), result: { status: ended.success } };
    },
  );
  unary<{ imageId?: string }>('ImageFromId', 'ImageById', 'Image', ({ imageId = '' }) => {
    account.requireImage(imageId);
    return { imageId };
  });
  unary<{ imageId?: string }>('ImageDelete', 'ImageById', 'Empty', async ({ imageId = '' }) => {
    await account.removeImage(imageId);
    return {};
  });
  unary<{ envDict: Record<string, string>; objectCreationType?: number; deploymentName?: string }>(
    'SecretGetOrCreate',
    'SecretRequest',
    'Secret',
    ({ envDict, objectCreationType, deploymentName }) => {
      if (objectCreationType !== 5) throw new GrpcProblem(code.notFound, `no secret ${deploymentName}`);
      return { secretId: account.secret(envDict) };
    },
  );
  unary<{ deploymentName?: string; objectCreationType?: number }>(
    'VolumeGetOrCreate',
    'VolumeRequest',
    'Volume',
    ({ deploymentName = '', objectCreationType }) => ({ volumeId: account.volume(deploymentName, objectCreationType === 1) }),
  );

  const create = async (request: SandboxCreate, version: SandboxVersion): Promise<ModalSandbox> => {
    try {
      return await account.create(request, version);
    } catch (error) {
      const { waitMs } = error as { waitMs?: number };
      if (waitMs === undefined || !context.knobs.tellsRetryAfter) throw error;
      throw new GrpcProblem(code.resourceExhausted, (error as Error).message, retryAfter(parts.codec, waitMs));
    }
  };
  unary<SandboxCreate>('SandboxCreateV2', 'SandboxCreate', 'SandboxCreatedV2', async (request) => {
    const sandbox = await create(request, 'v2');
    await sandbox.start();
    return { sandboxId: sandbox.id, taskId: sandbox.spec.taskId, tunnels: tunnels(sandbox), commandRouterAccess: access(sandbox) };
  });
  unary<SandboxCreate>('SandboxCreate', 'SandboxCreate', 'SandboxCreated', async (request) => {
    const sandbox = await create(request, 'v1');
    void delay(context.knobs.scheduleMs, undefined, { ref: false }).then(() => (sandbox.running ? sandbox.start() : undefined));
    return { sandboxId: sandbox.id };
  });
  unary<ById>('SandboxGetTaskId SandboxGetTaskIdV2', 'SandboxTimed', 'SandboxTask', ({ sandboxId }) => {
    const sandbox = account.find(sandboxId);
    if (sandbox.result !== undefined) return { taskResult: sandbox.result };
    return sandbox.spec.box.up ? { taskId: sandbox.spec.taskId } : {};
  });
  unary<{ taskId?: string }>('TaskGetCommandRouterAccess', 'TaskById', 'RouterAccess', ({ taskId }) => access(account.ofTask(taskId)));
  unary<{ sandboxId?: string; taskId?: string }>(
    'SandboxGetCommandRouterAccess',
    'RouterAccessRequest',
    'RouterAccess',
    ({ sandboxId, taskId }) => {
      const sandbox = sandboxId === undefined ? account.ofTask(taskId) : account.find(sandboxId);
      sandbox.requireRunning();
      return access(sandbox);
    },
  );
  unary<Timed>('SandboxWait SandboxWaitV2', 'SandboxTimed', 'SandboxResult', async ({ sandboxId, timeout = 0 }, { signal }) => {
    const sandbox = account.find(sandboxId);
    await sandbox.until(() => !sandbox.running, timeout * 1000, signal);
    return { result: sandbox.result, metadata: { appId: sandbox.spec.appId } };
  });
  unary<ById>('SandboxTerminate SandboxTerminateV2', 'SandboxById', 'SandboxTerminated', async ({ sandboxId }) => {
    const sandbox = account.find(sandboxId);
    const existingResult = sandbox.result;
    // The answer does not wait for the snapshot that may follow.
    if (existingResult === undefined) void sandbox.finish({ status: ended.terminated });
    return { existingResult };
  });
  unary<{ sandboxName?: string; appName?: string; includeTerminated?: boolean }>(
    'SandboxGetFromName SandboxGetFromNameV2',
    'SandboxFromName',
    'SandboxFound',
    ({ sandboxName = '', appName = '', includeTerminated }, _call, version) => {
      const appId = account.app(appName, false);
      const found =
        account.named(appId, sandboxName) ??
        (includeTerminated ? account.all().find((one) => one.name === sandboxName && one.spec.appId === appId) : undefined);
      if (found === undefined || versionOf(found) !== version) throw new GrpcProblem(code.notFound, `no sandbox named ${sandboxName}`);
      return { sandboxId: found.id };
    },
  );
  unary<{ appId?: string; beforeTimestamp?: number; includeFinished?: boolean; tags: Tag[] }>(
    'SandboxList SandboxListV2',
    'SandboxListRequest',
    'SandboxList',
    ({ appId = '', beforeTimestamp, includeFinished, tags }, _call, version) => {
      const wanted = account
        .all()
        .filter((one) => version === 'v2' || versionOf(one) === 'v1')
        .filter((one) => appId === '' || one.spec.appId === appId)
        .filter((one) => one.running || includeFinished)
        .filter((one) => beforeTimestamp === undefined || one.spec.createdAt < beforeTimestamp)
        .filter((one) => tags.every((tag) => one.tags.some((own) => own.tagName === tag.tagName && own.tagValue === tag.tagValue)));
      return { sandboxes: wanted.slice(0, context.knobs.pageSize).map(row) };
    },
  );
  unary<ById>('SandboxTagsGet SandboxTagsGetV2', 'SandboxById', 'Tags', ({ sandboxId }) => ({ tags: account.find(sandboxId).tags }));
  unary<ById & { tags: Tag[] }>('SandboxTagsSet SandboxTagsSetV2', 'TagsSet', 'Empty', ({ sandboxId, tags }) => {
    const sandbox = account.find(sandboxId);
    sandbox.requireRunning();
    sandbox.tags = tags;
    return {};
  });
  unary<ById>('SandboxGetTunnels SandboxGetTunnelsV2', 'SandboxTimed', 'Tunnels', ({ sandboxId }) => ({
    tunnels: tunnels(account.find(sandboxId)),
  }));
  unary<ById & { port?: number }>(
    'SandboxCreateConnectToken SandboxCreateConnectTokenV2',
    'ConnectTokenRequest',
    'ConnectToken',
    ({ sandboxId, port = 8080 }) => {
      const sandbox = account.find(sandboxId);
      sandbox.requireRunning();
      return parts.connect(sandbox, port);
    },
  );
  unary<Timed>(
    'SandboxGetExitSnapshot SandboxGetExitSnapshotV2',
    'SandboxTimed',
    'ExitSnapshot',
    async ({ sandboxId, timeout = 0 }, { signal }) => {
      const sandbox = account.find(sandboxId);
      if (!sandbox.wantsExitSnapshot) throw new GrpcProblem(code.invalidArgument, 'exit snapshots were not enabled for this sandbox');
      await sandbox.until(() => sandbox.exitSnapshot !== undefined, timeout * 1000, signal);
      const { exitSnapshot } = sandbox;
      if (exitSnapshot === undefined) return { pending: {} };
      if ('image' in exitSnapshot) return { success: { imageId: exitSnapshot.image } };
      return { error: { errorCode: 1, message: exitSnapshot.failed } };
    },
  );
  return methods;
}

function versionOf({ id }: ModalSandbox): SandboxVersion {
  return id.length === 'sb-'.length + 22 ? 'v1' : 'v2';
}

/** The sandboxes share this machine's network, so a tunnel ends where it begins. */
function tunnels({ spec }: ModalSandbox): object[] {
  return (spec.definition.openPorts?.ports ?? []).map(({ port = 0, unencrypted = false }) => ({
    host: '127.0.0.1',
    port,
    containerPort: port,
    ...(unencrypted ? { unencryptedHost: '127.0.0.1', unencryptedPort: port } : {}),
  }));
}

function row(sandbox: ModalSandbox): object {
  const { definition, appId, createdAt, taskId } = sandbox.spec;
  return {
    id: sandbox.id,
    createdAt,
    appId,
    tags: sandbox.tags,
    name: sandbox.name,
    imageId: definition.imageId,
    timeoutSecs: definition.timeoutSecs,
    taskInfo: { id: taskId, startedAt: createdAt, finishedAt: sandbox.finishedAt, result: sandbox.result },
  };
}

function retryAfter(codec: Codec, ms: number): Buffer {
  const policy = codec.encode('RetryPolicy', { retryAfterSecs: ms / 1000 });
  return codec.encode('Status', {
    code: code.resourceExhausted,
    message: 'retry later',
    details: [{ typeUrl: 'type.googleapis.com/modal.client.RPCRetryPolicy', value: policy }],
  });
}
