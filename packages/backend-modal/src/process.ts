import type { Readable } from 'node:stream';
import { type DriverExit, type DriverProcess, PetasosError, type SpawnRequest } from '@petasos/core/backend';
import type { Sandbox } from 'modal';
import { failureOf, translate } from './errors.js';
import { readable, writable } from './streams.js';

/** Characters that all arguments of a command may have together; the SDK refuses more. */
const argumentLimit = 65_536;
/** How long a process may run on without a stream before that counts as a broken line. */
const brokenLineMs = 2_000;

export async function startProcess(sandbox: Sandbox, request: SpawnRequest): Promise<DriverProcess> {
  const child = await execute(sandbox, request.argv, { env: request.env });
  const stdin = writable(child.stdin);
  if (!request.stdin) stdin.end();
  const stdout = readable(child.stdout);
  const stderr = readable(child.stderr);
  const letGo = new AbortController();
  const exited = endOf(child, [stdout, stderr], letGo);
  exited.catch(() => {});
  return {
    stdin: request.stdin ? stdin : undefined,
    stdout,
    stderr,
    exited,
    kill() {
      // Modal cannot signal a process. The end of its input ends what reads it, and a lane misses its client's signs of life.
      letGo.abort();
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    },
  };
}

export type Child = Awaited<ReturnType<typeof execute>>;

/** Starts a process once, however often the request has to be sent: its id is chosen here, and the service knows it again. */
export async function execute(
  sandbox: Sandbox,
  argv: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>> | undefined; readonly pty?: boolean } = {},
) {
  const length = argv.reduce((sum, argument) => sum + argument.length, 0);
  if (length > argumentLimit)
    throw new PetasosError('invalid-request', `modal: a command may have ${argumentLimit} characters, this one has ${length}`, {
      backend: 'modal',
      operation: 'spawn',
      remedy: 'Put the text into a file of the sandbox and run that.',
    });
  try {
    return await sandbox.exec([...argv], { mode: 'binary', env: { ...options.env }, pty: options.pty ?? false });
  } catch (error) {
    throw await lost(sandbox, error, 'spawn', 'no process can be started');
  }
}

/** `destroyed` when the sandbox has ended, `disconnected` when that is not known. */
export async function lost(sandbox: Sandbox, error: unknown, operation: string, what: string): Promise<PetasosError> {
  const failure = failureOf(error);
  if (failure === 'gone' || failure === 'missing' || (await hasEnded(sandbox)))
    return new PetasosError('destroyed', `modal: the sandbox ${sandbox.sandboxId} has ended`, {
      backend: 'modal',
      operation,
      remedy: 'Open it again: its files are kept if it is persistent.',
      cause: error,
    });
  return translate(error, operation, what, failure === 'unreachable' || failure === 'other' ? 'disconnected' : undefined);
}

export async function hasEnded(sandbox: Sandbox): Promise<boolean> {
  try {
    return (await sandbox.poll()) !== null;
  } catch (error) {
    return failureOf(error) === 'missing';
  }
}

/**
 * The end as the service tells it. A stream can end early as if it were whole, and the SDK asks for the end of a process for ever: where a
 * stream is over and the process is not, the line is broken.
 */
function endOf(child: Child, streams: readonly Readable[], letGo: AbortController): Promise<DriverExit> {
  return new Promise((resolve, reject) => {
    const timers: NodeJS.Timeout[] = [];
    const settle = (act: () => void) => {
      for (const timer of timers) clearTimeout(timer);
      act();
      letGo.abort();
    };
    const broken = (cause?: unknown) =>
      new PetasosError('disconnected', 'modal: the connection to the process was lost', {
        backend: 'modal',
        operation: 'spawn',
        retryable: true,
        remedy: 'Try again; the sandbox itself may still run.',
        cause,
      });
    for (const stream of streams) {
      stream.once('close', () => {
        const timer = setTimeout(() => {
          settle(() => reject(broken(stream.errored ?? undefined)));
          for (const one of streams) one.destroy();
        }, brokenLineMs);
        timer.unref();
        timers.push(timer);
      });
    }
    letGo.signal.addEventListener('abort', () => resolve({ exitCode: null }), { once: true });
    child._wait(letGo.signal).then(
      (exitCode) => settle(() => resolve({ exitCode })),
      (error: unknown) => {
        const failure = failureOf(error);
        settle(() => {
          if (failure === 'gone' || failure === 'missing')
            reject(new PetasosError('destroyed', 'modal: the sandbox has ended', { backend: 'modal', operation: 'spawn', cause: error }));
          else reject(broken(error));
        });
      },
    );
  });
}
