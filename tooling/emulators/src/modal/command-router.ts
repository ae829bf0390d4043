import { setTimeout as delay } from 'node:timers/promises';
import type { ByteLog } from '../core/byte-log.js';
import type { EmulatorContext } from '../core/emulator.js';
import type { Account } from './account.js';
import type { ModalKnobs } from './knobs.js';
import type { ExecStart } from './messages.js';
import type { CallInfo, Method } from './wire/grpc-server.js';
import { code, GrpcProblem } from './wire/status.js';

interface OfExec {
  readonly taskId?: string;
  readonly execId?: string;
}

interface StdinMessage {
  readonly start?: OfExec & { readonly offset?: number };
  readonly data?: Uint8Array;
  readonly end?: object;
}

/** How long one call that waits for an end may take; clients ask again. */
const longPollMs = 55_000;
const chunkBytes = 64 * 1024;
/** A stream may be so far ahead of its rate: timers are not exact. */
const shortestNapMs = 5;

/** The methods of `modal.task_command_router.TaskCommandRouter` that execute and snapshot. */
export function commandRouter(context: EmulatorContext<ModalKnobs>, account: Account): Map<string, Method> {
  const methods = new Map<string, Method>();
  const path = (name: string) => `/modal.task_command_router.TaskCommandRouter/${name}`;
  const unary = <Request>(
    name: string,
    request: string,
    response: string,
    run: (request: Request, call: CallInfo) => Promise<object> | object,
  ) => methods.set(path(name), { kind: 'unary', request, response, run: (message, call) => run(message as Request, call) });
  const execOf = ({ taskId, execId }: OfExec) => account.ofTask(taskId).exec(execId);

  unary<ExecStart>('TaskExecStart', 'ExecStart', 'Empty', (request) => {
    account.ofTask(request.taskId).startExec(request, account.variables(request.secretIds, request.secretSources));
    return {};
  });
  unary<OfExec & { offset?: number; data?: Uint8Array; eof?: boolean }>('TaskExecStdinWrite', 'StdinWrite', 'Empty', async (request) => {
    await execOf(request).write(request.offset ?? 0, request.data ?? new Uint8Array(), request.eof ?? false);
    return {};
  });
  methods.set(path('TaskExecStdinWriteStream'), {
    kind: 'client-stream',
    request: 'StdinStream',
    response: 'Empty',
    async run(requests) {
      let exec: ReturnType<typeof execOf> | undefined;
      let at = 0;
      for await (const { start, data, end } of requests as AsyncIterable<StdinMessage>) {
        if (start !== undefined) {
          exec = execOf(start);
          at = start.offset ?? 0;
        }
        if (exec === undefined) throw new GrpcProblem(code.invalidArgument, 'the stream does not begin with its start');
        if (data !== undefined) await exec.write(at, data, false);
        at += data?.byteLength ?? 0;
        if (end !== undefined) await exec.write(at, new Uint8Array(), true);
      }
      return {};
    },
  });
  unary<OfExec>('TaskExecStdinStatus', 'ExecById', 'StdinStatus', (request) => {
    const { written, closed } = execOf(request);
    return { written, closed };
  });
  methods.set(path('TaskExecStdioRead'), {
    kind: 'server-stream',
    request: 'StdioRead',
    response: 'Stdio',
    run(message, { signal }) {
      const { offset = 0, fileDescriptor = 0, ...of } = message as OfExec & { offset?: number; fileDescriptor?: number };
      const { target } = execOf(of);
      const log = fileDescriptor === 0 ? target.stdout : target.stderr;
      return paced(log, offset, context.knobs, signal);
    },
  });
  unary<OfExec>('TaskExecPoll', 'ExecById', 'ExecEnd', (request) => execOf(request).end ?? {});
  unary<OfExec>('TaskExecWait', 'ExecById', 'ExecEnd', async (request, { signal }) => {
    const exec = execOf(request);
    const over = delay(longPollMs, undefined, { signal, ref: false }).catch(() => undefined);
    const end = exec.end ?? (await Promise.race([exec.target.exited, over]));
    if (end === undefined) throw new GrpcProblem(code.deadlineExceeded, 'the process still runs');
    return end;
  });
  unary<{ taskId?: string; snapshotId?: string }>('TaskSnapshotFilesystem', 'SnapshotRequest', 'ImageById', async (request, call) => {
    const sandbox = account.ofTask(request.taskId);
    sandbox.requireRunning();
    if (call.own('snapshot-fails')) throw new GrpcProblem(code.failedPrecondition, 'the sandbox is not ready to be snapshotted');
    return { imageId: await account.snapshot(sandbox, request.snapshotId ?? '') };
  });
  return methods;
}

async function* paced(log: ByteLog, offset: number, knobs: ModalKnobs, signal: AbortSignal): AsyncGenerator<{ data: Buffer }> {
  let allowedAt = Date.now();
  for await (const data of log.follow(offset, { chunkBytes, signal })) {
    yield { data };
    const now = Date.now();
    if (knobs.streamBytesPerSecond > 0) allowedAt = Math.max(allowedAt, now) + (data.length / knobs.streamBytesPerSecond) * 1000;
    if (allowedAt - now > shortestNapMs) await delay(allowedAt - now);
  }
}
