import type { IsolatedReply, IsolatedRequest, IsolatedTask, IsolatedTasks } from './isolated-protocol.js';
import type { BackendPackage } from './manifest.js';

export type IsolatedResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string; readonly remedy: string };

const limitMs: Readonly<Record<IsolatedTask, number>> = { traits: 5_000, needs: 5_000, check: 30_000, list: 20_000 };

/**
 * Asks one backend on a thread of its own: a package that throws, prints, ends the process, blocks or never answers
 * costs its own answer and nobody else's.
 */
export async function askIsolated<Task extends IsolatedTask>(
  backend: BackendPackage,
  task: Task,
  options: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<IsolatedResult<IsolatedTasks[Task]>> {
  const failure = (message: string, remedy?: string) =>
    ({ ok: false, message, remedy: remedy ?? `Update or remove ${backend.packageName}.` }) as const;
  const request: IsolatedRequest = { task, name: backend.name, entry: backend.entry, options, env: { ...env } };
  // Not loaded by the commands that ask nobody: threads, like everything, take time to load.
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(new URL('./isolated-worker.js', import.meta.url), { workerData: request, stdout: true, stderr: true });
  let timer: NodeJS.Timeout | undefined;
  try {
    const reply = await new Promise<IsolatedReply | string>((resolve) => {
      timer = setTimeout(() => resolve(`it did not answer within ${limitMs[task] / 1000} s`), limitMs[task]);
      worker.once('message', (message: IsolatedReply) => resolve(message));
      worker.once('messageerror', () => resolve('its answer is not plain data'));
      worker.once('error', (error) => resolve(error.message));
      worker.once('exit', () => resolve('it ended its thread instead of answering'));
    });
    if (typeof reply === 'string') return failure(reply);
    if (!reply.ok) return failure(reply.message, reply.remedy);
    // The reply came from the worker's own code, which returns what this task promises.
    return { ok: true, value: reply.value as IsolatedTasks[Task] };
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
