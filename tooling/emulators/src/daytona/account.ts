import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type EmulatorContext, RateLimit, Store } from '../core/index.js';
import type { DaytonaKnobs } from './knobs.js';
import { apiProblem } from './problem.js';
import { Ptys } from './pty.js';
import type { CreateBody, Sandbox, State } from './sandbox.js';
import { Sessions } from './sessions.js';

export const workdir = '/home/daytona';
const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: workdir,
  LANG: 'C.UTF-8',
};

export interface Volume {
  readonly id: string;
  readonly name: string;
  readonly directory: string;
  readonly createdAt: Date;
}

/** Everything that one organisation has, and what may be done with it. */
export class Account {
  readonly context: EmulatorContext<DaytonaKnobs>;
  readonly store: Store<State>;
  readonly volumes = new Map<string, Volume>();
  readonly #sandboxes = new Map<string, Sandbox>();
  /** Names that are being taken: creating is not instantaneous. */
  readonly #taken = new Set<string>();
  #creates: RateLimit | undefined;
  #limits = '';

  constructor(context: EmulatorContext<DaytonaKnobs>) {
    this.context = context;
    this.store = new Store(context.clock);
  }

  get knobs(): DaytonaKnobs {
    return this.context.knobs;
  }

  /** @throws 404 */
  find(idOrName: string): Sandbox {
    const box = this.store.find(idOrName);
    const sandbox = box && this.#sandboxes.get(box.id);
    if (sandbox === undefined) throw apiProblem(404, `Sandbox with ID or name ${idOrName} not found`);
    return sandbox;
  }

  list(): Sandbox[] {
    return this.store.list().flatMap(({ id }) => this.#sandboxes.get(id) ?? []);
  }

  async create(wanted: CreateBody): Promise<Sandbox> {
    this.#admit();
    const id = randomUUID();
    const name = wanted.name ?? id;
    if (this.#taken.has(name) || this.store.find(name)) throw apiProblem(409, `Sandbox with name ${name} already exists`);
    const snapshot = wanted.snapshot === undefined ? undefined : this.store.findSnapshot(wanted.snapshot);
    if (wanted.snapshot !== undefined && snapshot === undefined) throw apiProblem(404, `Snapshot ${wanted.snapshot} not found`);
    const volumes = (wanted.volumes ?? []).map(({ volumeId, mountPath }) => {
      const volume = this.volumes.get(volumeId);
      if (volume === undefined) throw apiProblem(404, `Volume ${volumeId} not found`);
      return { volume, mountPath };
    });
    this.#taken.add(name);
    try {
      const box = await this.store.create({
        id,
        name,
        state: 'creating',
        labels: wanted.labels,
        env: { ...environment, ...wanted.env },
        workdir,
        from: snapshot?.directory,
        offline: wanted.networkBlockAll,
      });
      for (const { volume, mountPath } of volumes) await box.tree.bind(volume.directory, mountPath);
      const sandbox: Sandbox = {
        box,
        sessions: new Sessions(box, this.knobs),
        ptys: new Ptys(box),
        wanted,
        autoStopInterval: wanted.autoStopInterval ?? 15,
        autoArchiveInterval: wanted.autoArchiveInterval ?? 7 * 24 * 60,
        autoDeleteInterval: wanted.autoDeleteInterval ?? -1,
        lastActivityAt: this.context.clock.date(),
      };
      this.#sandboxes.set(id, sandbox);
      if (wanted.ttlMinutes) this.endAfter(sandbox, wanted.ttlMinutes);
      void this.#up(sandbox, 'creating');
      return sandbox;
    } finally {
      this.#taken.delete(name);
    }
  }

  /** The service's two limits: requests to create, and sandboxes at a time. */
  #admit(): void {
    const { createsPerMinute, createBurst, retryAfter, maxSandboxes } = this.knobs;
    const limits = `${createsPerMinute}/${createBurst}`;
    if (this.#creates === undefined || this.#limits !== limits) {
      this.#creates = new RateLimit(this.context.clock, { perMinute: createsPerMinute, burst: createBurst });
      this.#limits = limits;
    }
    const wait = this.#creates.take();
    if (wait > 0)
      throw apiProblem(429, 'ThrottlerException: Too Many Requests', retryAfter ? { 'retry-after': String(Math.ceil(wait / 1000)) } : {});
    if (this.store.list().length >= maxSandboxes) throw apiProblem(403, 'Sandbox resource limit reached');
  }

  start(sandbox: Sandbox): void {
    const { state } = sandbox.box;
    if (state === 'started' || state === 'starting') return;
    if (state !== 'stopped' && state !== 'archived') throw apiProblem(409, `Sandbox is ${state}`);
    void this.#up(sandbox, state === 'archived' ? 'restoring' : 'starting');
  }

  async #up(sandbox: Sandbox, via: State): Promise<void> {
    const { box } = sandbox;
    if (this.knobs.failStarts > 0) {
      this.knobs.failStarts -= 1;
      sandbox.errorReason = 'no runner has room';
      await box.pass(via, 'error', this.knobs.transitionMs);
      return;
    }
    try {
      await box.pass(via, 'started', this.knobs.transitionMs, () => box.boot());
      this.touch(sandbox);
    } catch (error) {
      sandbox.errorReason = String(error);
      box.state = 'error';
    }
  }

  /** Ends its processes, keeps its files. Resolves when it is stopped. */
  async stop(sandbox: Sandbox): Promise<void> {
    const { box } = sandbox;
    if (box.state === 'stopped' || box.state === 'stopping') return;
    if (box.state !== 'started') throw apiProblem(409, `Sandbox is ${box.state}`);
    box.cancel('auto-stop');
    await box.pass('stopping', 'stopped', this.knobs.transitionMs, async () => {
      sandbox.sessions.clear();
      sandbox.ptys.clear();
      await box.halt();
    });
    if (sandbox.autoDeleteInterval >= 0)
      box.plan('auto-delete', sandbox.autoDeleteInterval * this.knobs.minuteMs, () => void this.remove(sandbox));
  }

  async archive(sandbox: Sandbox): Promise<void> {
    if (sandbox.box.state !== 'stopped') throw apiProblem(409, 'Sandbox must be stopped before it is archived');
    await sandbox.box.pass('archiving', 'archived', this.knobs.transitionMs);
  }

  async snapshot(sandbox: Sandbox, name: string): Promise<void> {
    if (this.store.findSnapshot(name)) throw apiProblem(409, `Snapshot ${name} already exists`);
    const { box } = sandbox;
    const before = box.state;
    await box.pass('snapshotting', before, this.knobs.transitionMs, async () => void (await this.store.snapshot(box, randomUUID(), name)));
  }

  async remove(sandbox: Sandbox): Promise<void> {
    const { box } = sandbox;
    box.state = 'destroying';
    sandbox.sessions.clear();
    sandbox.ptys.clear();
    await box.halt();
    await new Promise((resolve) => setTimeout(resolve, this.knobs.transitionMs));
    box.state = 'destroyed';
    this.#sandboxes.delete(box.id);
    await this.store.remove(box);
  }

  /** A request came: the time until auto-stop begins anew. What runs in the sandbox does not count. */
  touch(sandbox: Sandbox): void {
    const { box } = sandbox;
    sandbox.lastActivityAt = this.context.clock.date();
    box.cancel('auto-stop');
    if (sandbox.autoStopInterval > 0 && box.state === 'started')
      box.plan('auto-stop', sandbox.autoStopInterval * this.knobs.minuteMs, () => void this.stop(sandbox).catch(() => {}));
  }

  /** Its life ends after so many minutes, counted from now. */
  endAfter(sandbox: Sandbox, minutes: number): void {
    const ms = minutes * this.knobs.minuteMs;
    sandbox.autoDestroyAt = new Date(this.context.clock.now() + ms);
    sandbox.box.plan('auto-destroy', ms, () => void this.remove(sandbox));
  }

  async createVolume(name: string): Promise<Volume> {
    if ([...this.volumes.values()].some((volume) => volume.name === name)) throw apiProblem(409, `Volume ${name} already exists`);
    const id = randomUUID();
    const directory = path.join(await this.store.directory(), 'volumes', id);
    await mkdir(directory, { recursive: true });
    const volume: Volume = { id, name, directory, createdAt: this.context.clock.date() };
    this.volumes.set(id, volume);
    return volume;
  }
}
