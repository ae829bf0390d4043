import type { Readable } from 'node:stream';
import { PetasosError, type Progress } from '@petasos/core/backend';
import type { Engine } from '../engine/engine.js';
import { lost, statusOf } from '../engine/errors.js';
import { registryLogin } from './credentials.js';
import type { ObtainContext } from './obtain.js';
import { parseReference } from './reference.js';

/** A registry may be slow, but one that sends nothing for so long has gone away. */
const silenceMs = 300_000;

interface PullLine {
  readonly id?: string;
  readonly status?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
  readonly error?: string;
  readonly errorDetail?: { readonly code?: number };
}

/** Fetches an image and tells of layers and bytes. @throws `unavailable`, `credentials` or `aborted`. */
export async function pullImage(
  engine: Engine,
  reference: string,
  platform: string | undefined,
  { host, signal, onProgress }: ObtainContext,
): Promise<void> {
  const { registry, name, tag } = parseReference(reference);
  const login = await registryLogin(registry, host);
  const what = `pull ${reference}`;
  const call = {
    method: 'POST',
    path: '/images/create',
    query: { fromImage: name, tag, platform },
    headers: login === undefined ? {} : { 'X-Registry-Auth': login },
    silenceMs,
    signal,
    what,
  } as const;
  const stream = await engine.connection.stream(call).catch((error: unknown) => {
    throw statusOf(error) === undefined ? error : pullError(reference, registry, login !== undefined, statusOf(error), error);
  });
  const tally = new Layers(reference, onProgress);
  try {
    for await (const line of lines(stream)) {
      const said = JSON.parse(line) as PullLine;
      if (said.error !== undefined)
        throw pullError(reference, registry, login !== undefined, said.errorDetail?.code, new Error(said.error));
      tally.note(said);
    }
  } catch (error) {
    if (signal?.aborted)
      throw new PetasosError('aborted', `docker was to ${what}, and that was aborted`, { backend: 'docker', cause: error });
    if (error instanceof PetasosError) throw error;
    throw lost(what, error);
  }
}

function pullError(reference: string, registry: string, loggedIn: boolean, status: number | undefined, cause: unknown): PetasosError {
  const refused = status === 401 || status === 403;
  const said = cause instanceof Error ? cause.message : String(cause);
  return new PetasosError(refused ? 'credentials' : 'unavailable', `the image ${reference} could not be pulled from ${registry}: ${said}`, {
    backend: 'docker',
    operation: 'open',
    data: { image: reference, registry },
    remedy: loggedIn
      ? `Check the name, the network and the login of ${registry} (docker login ${registry}).`
      : `Check the name and the network; a private image needs a login: docker login ${registry}.`,
    cause,
  });
}

async function* lines(stream: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) if (line.trim() !== '') yield line;
  }
  if (rest.trim() !== '') yield rest;
}

/** Adds up what the engine says of each layer. */
class Layers {
  readonly #layers = new Map<string, { current: number; total: number; done: boolean }>();
  readonly #step: string;
  readonly #report: ((event: Progress) => void) | undefined;

  constructor(reference: string, report: ((event: Progress) => void) | undefined) {
    this.#step = `pull ${reference}`;
    this.#report = report;
  }

  note({ id, status, progressDetail }: PullLine): void {
    if (this.#report === undefined || id === undefined || !/^[0-9a-f]{12,}$/.test(id)) return;
    const layer = this.#layers.get(id) ?? { current: 0, total: 0, done: false };
    this.#layers.set(id, layer);
    if (status === 'Downloading') {
      layer.current = progressDetail?.current ?? layer.current;
      layer.total = progressDetail?.total ?? layer.total;
    }
    if (status === 'Download complete' || status === 'Pull complete' || status === 'Already exists') {
      layer.current = layer.total;
      layer.done = true;
    }
    const all = [...this.#layers.values()];
    const sum = (pick: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + pick(one), 0);
    this.#report({
      step: this.#step,
      done: sum((one) => one.current),
      total: sum((one) => one.total),
      unit: 'bytes',
      detail: `${all.filter((one) => one.done).length} of ${all.length} layers`,
    });
  }
}
