import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EmulatorContext } from '../core/emulator.js';
import { RateLimit } from '../core/quota.js';
import { Store } from '../core/store.js';
import type { ModalKnobs } from './knobs.js';
import { type Definition, ended, type SandboxCreate, type SecretSource } from './messages.js';
import { ModalSandbox } from './sandbox.js';
import { code, GrpcProblem } from './wire/status.js';

/** What every command finds around it. */
const environment = { HOME: '/root', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', MODAL_IS_REMOTE: '1' };
const workdir = '/root';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const word = (length: number) => Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join('');

/** The two kinds of sandboxes differ in their ids alone: by these, clients choose their methods. */
export type SandboxVersion = 'v1' | 'v2';

/** One account of the service: apps, images, volumes, secrets and sandboxes, the ended ones included. */
export class Account {
  readonly store: Store<'running' | 'finished'>;
  readonly #context: EmulatorContext<ModalKnobs>;
  readonly #apps = new Map<string, string>();
  readonly #images = new Set<string>();
  readonly #secrets = new Map<string, Readonly<Record<string, string>>>();
  readonly #volumes = new Map<string, string>();
  readonly #snapshots = new Map<string, Promise<string>>();
  readonly #sandboxes = new Map<string, ModalSandbox>();
  /** Names, by app, of sandboxes that are being made. */
  readonly #reserved = new Set<string>();
  #limit: RateLimit | undefined;
  #lastCreation = 0;

  constructor(context: EmulatorContext<ModalKnobs>) {
    this.#context = context;
    this.store = new Store(context.clock);
  }

  /** @throws NOT_FOUND unless it may be made. */
  app(name: string, create: boolean): string {
    const id = this.#apps.get(name);
    if (id !== undefined) return id;
    if (!create) throw new GrpcProblem(code.notFound, `no app ${name}`);
    const made = `ap-${word(22)}`;
    this.#apps.set(name, made);
    return made;
  }

  /** The image of these instructions; the same ones give the same image. */
  image(instructions: readonly string[]): string {
    const id = `im-${createHash('sha256').update(JSON.stringify(instructions)).digest('hex').slice(0, 22)}`;
    this.#images.add(id);
    return id;
  }

  requireImage(id: string): void {
    if (!this.#images.has(id)) throw new GrpcProblem(code.notFound, `Could not find image with ID ${id}`);
  }

  async removeImage(id: string): Promise<void> {
    this.requireImage(id);
    this.#images.delete(id);
    const snapshot = this.store.findSnapshot(id);
    if (snapshot) await this.store.removeSnapshot(snapshot);
  }

  secret(values: Readonly<Record<string, string>>): string {
    const id = `st-${word(22)}`;
    this.#secrets.set(id, values);
    return id;
  }

  /** The variables of all of them, later ones over earlier ones. */
  variables(ids: readonly string[], sources: readonly SecretSource[]): Record<string, string> {
    const parts = [
      ...ids.map((id) => this.#secrets.get(id)),
      ...sources.map(({ secretId, env }) => env?.contents ?? this.#secrets.get(secretId ?? '')),
    ];
    return Object.assign({}, ...parts) as Record<string, string>;
  }

  volume(name: string, create: boolean): string {
    const id = this.#volumes.get(name);
    if (id !== undefined) return id;
    if (!create) throw new GrpcProblem(code.notFound, `no volume ${name}`);
    const made = `vo-${word(22)}`;
    this.#volumes.set(name, made);
    return made;
  }

  async create(request: SandboxCreate, version: SandboxVersion): Promise<ModalSandbox> {
    this.#requireQuota();
    const { definition, appId = '' } = request;
    if (definition === undefined) throw new GrpcProblem(code.invalidArgument, 'a sandbox needs a definition');
    if ((definition.timeoutSecs ?? 300) > 24 * 3600) throw new GrpcProblem(code.invalidArgument, 'timeout_secs must be at most 86400');
    if (version === 'v2' && (definition.resources?.gpuConfig?.count ?? 0) > 0)
      throw new GrpcProblem(code.invalidArgument, 'no GPUs with this method');
    this.requireImage(definition.imageId ?? '');
    const { name } = definition;
    if (name === undefined) return this.#make(request, definition, version);
    const reserved = `${appId}/${name}`;
    if (this.#reserved.has(reserved) || this.named(appId, name) !== undefined)
      throw new GrpcProblem(code.alreadyExists, `Sandbox with name ${name} already exists`);
    this.#reserved.add(reserved);
    try {
      return await this.#make(request, definition, version);
    } finally {
      this.#reserved.delete(reserved);
    }
  }

  async #make(request: SandboxCreate, definition: Definition, version: SandboxVersion): Promise<ModalSandbox> {
    const image = definition.imageId ?? '';
    const id = version === 'v1' ? `sb-${word(22)}` : `sb-${word(26).toUpperCase()}`;
    const box = await this.store.create({
      id,
      name: id,
      state: 'running',
      workdir: definition.workdir ?? workdir,
      env: { ...environment, MODAL_SANDBOX_ID: id, ...this.variables(definition.secretIds, request.secretSources) },
      from: this.store.findSnapshot(image)?.directory,
      offline: definition.networkAccess?.type === 2,
    });
    for (const { volumeId = '', mountPath = '', readOnly = false } of definition.volumeMounts) {
      const source = path.join(await this.store.directory(), 'volumes', volumeId);
      await mkdir(source, { recursive: true });
      await box.tree.bind(source, mountPath);
      const bind = box.tree.binds.pop();
      if (bind) box.tree.binds.push({ ...bind, readOnly });
    }
    const sandbox = new ModalSandbox({
      id,
      taskId: `ta-${word(22)}`,
      appId: request.appId ?? '',
      createdAt: this.#creationTime(),
      tags: request.tags,
      definition,
      box,
      scratch: await this.store.directory(),
      clock: this.#context.clock,
      snapshot: (ended) => this.#snapshotAtEnd(ended),
    });
    this.#sandboxes.set(id, sandbox);
    return sandbox;
  }

  #requireQuota(): void {
    const { createBurst: burst, createPerMinute: perMinute, maxSandboxes } = this.#context.knobs;
    this.#limit ??= new RateLimit(this.#context.clock, { burst, perMinute });
    const waitMs = this.#limit.take();
    if (waitMs > 0) throw Object.assign(new GrpcProblem(code.resourceExhausted, 'Sandbox creation rate limit exceeded'), { waitMs });
    if (this.running().length >= maxSandboxes) throw new GrpcProblem(code.resourceExhausted, 'too many sandboxes run at once');
  }

  /** The limits are those of the knobs from now on. */
  resetLimit(): void {
    this.#limit = undefined;
  }

  #creationTime(): number {
    this.#lastCreation = Math.max(this.#context.clock.now() / 1000, this.#lastCreation + 1e-5);
    return this.#lastCreation;
  }

  /** @throws NOT_FOUND */
  find(id: string | undefined): ModalSandbox {
    const found = this.#sandboxes.get(id ?? '');
    if (found === undefined) throw new GrpcProblem(code.notFound, `Sandbox with ID ${id} not found`);
    return found;
  }

  /** @throws NOT_FOUND */
  ofTask(taskId: string | undefined): ModalSandbox {
    const found = [...this.#sandboxes.values()].find(({ spec }) => spec.taskId === taskId);
    if (found === undefined) throw new GrpcProblem(code.notFound, `task ${taskId} not found`);
    return found;
  }

  named(appId: string, name: string): ModalSandbox | undefined {
    return this.running().find((one) => one.name === name && one.spec.appId === appId);
  }

  /** By id, or by the name of a running one. */
  pick(idOrName: string | undefined): ModalSandbox {
    return this.running().find(({ name }) => name === idOrName) ?? this.find(idOrName);
  }

  running(): ModalSandbox[] {
    return this.all().filter((one) => one.running);
  }

  /** Newest first. */
  all(): ModalSandbox[] {
    return [...this.#sandboxes.values()].sort((a, b) => b.spec.createdAt - a.spec.createdAt);
  }

  /** Asking twice with one id takes one snapshot. */
  snapshot(sandbox: ModalSandbox, key: string): Promise<string> {
    let taken = this.#snapshots.get(key);
    if (taken === undefined) {
      taken = this.#snapshot(sandbox);
      this.#snapshots.set(key, taken);
      taken.catch(() => this.#snapshots.delete(key));
    }
    return taken;
  }

  async #snapshot(sandbox: ModalSandbox): Promise<string> {
    const image = `im-${word(22)}`;
    await delay(this.#context.knobs.snapshotMs);
    await this.store.snapshot(sandbox.spec.box, image);
    this.#images.add(image);
    return image;
  }

  async #snapshotAtEnd(sandbox: ModalSandbox): Promise<string> {
    if (sandbox.snapshotFailure !== undefined) throw new Error(sandbox.snapshotFailure);
    return this.#snapshot(sandbox);
  }

  /** The service's memory of an ended sandbox is longer than its files' life. */
  async settle(sandbox: ModalSandbox): Promise<void> {
    await this.store.remove(sandbox.spec.box);
  }

  /** Forgets it, as if it had never been. */
  async vanish(sandbox: ModalSandbox): Promise<void> {
    await sandbox.finish({ status: ended.terminated });
    this.#sandboxes.delete(sandbox.id);
    await this.settle(sandbox);
  }

  async close(): Promise<void> {
    for (const sandbox of this.running()) sandbox.spec.box.cancel('lifetime');
    await this.store.clear();
  }
}
