import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { type Backend, optionFields } from '@petasos/core/backend';
import { validateOptions } from '@petasos/core/sandbox';
import { describeError } from '../ui/report-error.js';

import type { IsolatedReply, IsolatedRequest } from './isolated-protocol.js';
import { checkBackend } from './load.js';

async function answer(backend: Backend, request: IsolatedRequest): Promise<unknown> {
  if (request.task === 'traits') return backend.traits;
  if (request.task === 'needs') return { options: optionFields(backend.options), secrets: backend.secrets };
  const options = await validateOptions(backend, request.options);
  const host = { env: request.env, platform: process.platform };
  return request.task === 'check' ? await backend.check(options, host) : await backend.list(options, host);
}

async function reply(request: IsolatedRequest): Promise<IsolatedReply> {
  try {
    const backend = checkBackend(await import(pathToFileURL(request.entry).href), request.name);
    // A function or a socket in it cannot leave this thread: better to learn that while it can still be told.
    return { ok: true, value: structuredClone(await answer(backend, request)) };
  } catch (error) {
    const { message, remedy } = describeError(error);
    return { ok: false, message, remedy: error instanceof Error && 'remedy' in error ? remedy : undefined };
  }
}

parentPort?.postMessage(await reply(workerData as IsolatedRequest));
