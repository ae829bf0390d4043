import { randomBytes } from 'node:crypto';
import {
  type AttachContext,
  type CreateSpec,
  isPetasosError,
  PetasosError,
  type Progress,
  type SandboxRef,
  type SandboxState,
  timerMs,
} from '@petasos/core/backend';
import type { Sandbox } from 'modal';
import { ask, type Catalog, type Life } from './catalog.js';
import { createLife } from './create.js';
import { discard, end } from './end.js';
import { failureOf, translate } from './errors.js';
import { longestLifeMs, type ModalOptions } from './options.js';
import { execute } from './process.js';
import { handedOn, lifetimeOf, tag } from './records.js';
import { removeSnapshots, snapshotTags, stateOf, takeSnapshot } from './snapshots.js';

const restoreWaitMs = 15 * 60_000;
/** How long before its end a life takes a snapshot, in case the one at the end fails; at most half of it. */
const checkpointMs = 15 * 60_000;
const defaultIdleLimitMs = 300_000;

interface Waiting {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
}

/** One Petasos sandbox: the sandbox of Modal's that runs at the moment, and the way from one to the next. */
export class Place {
  readonly ref: SandboxRef;
  readonly options: ModalOptions;
  readonly workdir: string | undefined;
  /** Whether it was started from a snapshot of its own instead of being found running. */
  readonly restored: boolean;
  readonly #catalog: Catalog;
  #life: Life;
  #asleep = false;
  #checkpoint: NodeJS.Timeout | undefined;

  private constructor(catalog: Catalog, options: ModalOptions, life: Life, restored: boolean) {
    this.#catalog = catalog;
    this.options = options;
    this.#life = life;
    this.restored = restored;
    this.workdir = life.tags[tag.workdir];
    this.ref = { backend: 'modal', id: life.tags[tag.id] ?? '', name: life.tags[tag.name] ?? '' };
    this.#planCheckpoint();
  }

  static async create(catalog: Catalog, options: ModalOptions, spec: CreateSpec): Promise<Place> {
    const persistent = options.persistent !== false && spec.named !== false;
    const lifetimeMs = spec.lifetimeMs ?? longestLifeMs;
    if (!persistent && lifetimeMs > longestLifeMs) {
      throw new PetasosError('invalid-request', 'modal: a sandbox that is not persistent can live 24 hours at most', {
        backend: 'modal',
        operation: 'create',
        remedy: 'Ask for 24 hours or less, or leave persistent on: then it goes on from a snapshot.',
      });
    }
    const now = Date.now();
    const tags = {
      ...spec.labels,
      [tag.id]: randomBytes(12).toString('hex'),
      [tag.expires]: String(now + Math.min(lifetimeMs, longestLifeMs)),
      ...(spec.lifetimeMs === undefined ? {} : { [tag.ends]: String(now + lifetimeMs) }),
      ...(persistent ? { [tag.persistent]: 'true' } : {}),
      ...(spec.workdir === undefined ? {} : { [tag.workdir]: spec.workdir }),
    };
    const { name, idleLimitMs, from } = spec;
    const sandbox = await createLife(catalog, options, { ...spec, name, tags, idleLimitMs, lifetimeMs, from, persistent });
    const place = new Place(catalog, options, { sandbox, tags, createdAt: new Date(now), running: true }, false);
    if (spec.workdir === undefined) return place;
    try {
      await makeDirectory(sandbox, spec.workdir);
    } catch (error) {
      place.close();
      await discard(catalog, [place.#life]).catch(() => {});
      throw error;
    }
    return place;
  }

  /** Goes on from the snapshot when the sandbox has ended. @throws `sandbox-not-found` */
  static async attach(catalog: Catalog, options: ModalOptions, ref: SandboxRef, context: AttachContext): Promise<Place> {
    const running = await catalog.running(ref.name);
    if (running?.tags[tag.id] === ref.id) return new Place(catalog, options, running, false);
    for await (const life of catalog.lives({ [tag.id]: ref.id }, true)) {
      if (life.running) return new Place(catalog, options, life, false);
      return new Place(catalog, options, await next(catalog, options, life, context), true);
    }
    throw notFound(ref.name, 'attach');
  }

  /** The sandbox of Modal's that runs at the moment. */
  get sandbox(): Sandbox {
    return this.#life.sandbox;
  }

  /**
   * Starts something in it. A token that the service took back early is one that the SDK believes in until its date; a new handle has a new
   * one, and what was refused for it has not been started.
   */
  async start<Result>(work: (sandbox: Sandbox) => Promise<Result>): Promise<Result> {
    const { sandbox } = this.#life;
    try {
      return await work(sandbox);
    } catch (error) {
      if (!isPetasosError(error, 'credentials')) throw error;
      if (this.#life.sandbox === sandbox) {
        this.#life = { ...this.#life, sandbox: await this.#catalog.client.sandboxes.fromId(sandbox.sandboxId) };
        sandbox.detach();
      }
      return work(this.#life.sandbox);
    }
  }

  /** Whether its files outlive it. */
  get persistent(): boolean {
    return this.#life.tags[tag.persistent] === 'true';
  }

  get leftMs(): number {
    return Math.max(0, Number(this.#life.tags[tag.expires] ?? Date.now()) - Date.now());
  }

  async state(): Promise<SandboxState> {
    if (this.#asleep) return 'paused';
    try {
      if ((await this.sandbox.poll()) === null) return 'running';
    } catch (error) {
      if (failureOf(error) !== 'missing') throw translate(error, 'state', 'the sandbox cannot be looked up');
    }
    return this.persistent ? 'stopped' : 'gone';
  }

  snapshot(): Promise<string> {
    return takeSnapshot(this.sandbox, this.options, 'asked-for');
  }

  /** Keeps the files in a snapshot and ends the sandbox. */
  async sleep(): Promise<void> {
    if (this.#asleep) return;
    clearTimeout(this.#checkpoint);
    const { sandbox } = this.#life;
    const image = await takeSnapshot(sandbox, this.options, 'ours');
    await this.#setTags({ [snapshotTags.asleep]: image });
    await end(sandbox);
    this.#life = { ...this.#life, running: false };
    this.#asleep = true;
  }

  /** Goes on from the snapshot, in a new sandbox of Modal's. */
  async wake(): Promise<void> {
    if (!this.#asleep) return;
    const { sandbox } = this.#life;
    this.#life = await next(this.#catalog, this.options, this.#life, {});
    this.#asleep = false;
    sandbox.detach();
    this.#planCheckpoint();
  }

  close(): void {
    clearTimeout(this.#checkpoint);
    this.sandbox.detach();
  }

  async #setTags(more: Readonly<Record<string, string>>): Promise<void> {
    const { sandbox, tags } = this.#life;
    // The service replaces all tags by those of the request.
    const all = { ...(await ask('the tags cannot be read', () => sandbox.getTags())), ...more };
    await ask('the tags cannot be set', () => sandbox.setTags(all));
    this.#life = { ...this.#life, tags: { ...tags, ...all } };
  }

  #planCheckpoint(): void {
    if (!this.persistent) return;
    const left = this.leftMs;
    this.#checkpoint = setTimeout(() => void this.#takeCheckpoint(), timerMs(left - Math.min(checkpointMs, left / 2)));
    this.#checkpoint.unref();
  }

  /** In vain where the sandbox has ended by then; the snapshot at its end is what counts. */
  async #takeCheckpoint(): Promise<void> {
    try {
      await this.#setTags({ [snapshotTags.checkpoint]: await takeSnapshot(this.sandbox, this.options, 'ours') });
    } catch {}
  }
}

/** The next life of a sandbox whose last one has ended. @throws `sandbox-not-found` where nothing of it is left */
async function next(catalog: Catalog, options: ModalOptions, last: Life, { signal, onProgress }: Waiting): Promise<Life> {
  const name = last.tags[tag.name] ?? '';
  onProgress?.({ step: 'waiting for the snapshot of the files' });
  const image = await stateOf(catalog, last, restoreWaitMs);
  if (image === undefined || image === 'pending' || lifetimeOf(last.tags) <= 0) throw notFound(name, 'attach');
  const tags = handedOn(last.tags, image);
  const idleLimitMs = Number(tags[tag.idleLimitMs] ?? defaultIdleLimitMs);
  const request = {
    name,
    tags,
    idleLimitMs,
    lifetimeMs: lifetimeOf(tags),
    from: image,
    persistent: tags[tag.persistent] === 'true',
    signal,
    onProgress,
  };
  const sandbox = await createLife(catalog, options, request);
  // What cannot be deleted now is deleted with the sandbox.
  await removeSnapshots(catalog, [last], 0, image).catch(() => {});
  return { sandbox, tags, createdAt: new Date(), running: true };
}

async function makeDirectory(sandbox: Sandbox, directory: string): Promise<void> {
  const child = await execute(sandbox, ['/bin/sh', '-c', 'mkdir -p -- "$1"', 'petasos-mkdir', directory]);
  if ((await child.wait()) === 0) return;
  throw new PetasosError('cwd-not-found', `modal: the directory ${directory} cannot be made`, {
    backend: 'modal',
    operation: 'create',
    data: { cwd: directory },
    remedy: 'Choose another workdir.',
  });
}

function notFound(name: string, operation: string): PetasosError {
  return new PetasosError('sandbox-not-found', `modal has no sandbox ${name}`, { backend: 'modal', operation, remedy: 'Open it again.' });
}
