import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Box, type BoxSpec } from './box.js';
import type { Clock } from './clock.js';

export interface Snapshot {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Directory with the files, for {@link BoxSpec.from}. */
  readonly directory: string;
  /** The sandbox that it was made of. */
  readonly origin: string;
}

/** All that one emulated account has: sandboxes, snapshots, volumes. */
export class Store<State extends string = string> {
  readonly #clock: Clock;
  readonly #boxes = new Map<string, Box<State>>();
  readonly #snapshots = new Map<string, Snapshot>();
  #directory: Promise<string> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Where everything lies on this machine; made on first use, removed by {@link clear}. */
  directory(): Promise<string> {
    this.#directory ??= mkdtemp(path.join(tmpdir(), 'petasos-emulator-'));
    return this.#directory;
  }

  async create(spec: BoxSpec<State>): Promise<Box<State>> {
    const box = await Box.create(spec, path.join(await this.directory(), 'boxes'), this.#clock);
    this.#boxes.set(box.id, box);
    return box;
  }

  /** By id, else by name. */
  find(idOrName: string): Box<State> | undefined {
    return this.#boxes.get(idOrName) ?? [...this.#boxes.values()].find(({ name }) => name === idOrName);
  }

  /** Those that carry all these labels, oldest first. */
  list(labels: Readonly<Record<string, string>> = {}): Box<State>[] {
    return [...this.#boxes.values()].filter((box) => Object.entries(labels).every(([key, value]) => box.labels[key] === value));
  }

  async remove(box: Box<State>): Promise<void> {
    this.#boxes.delete(box.id);
    await box.remove();
  }

  /** Copies the files of a sandbox, running or not. */
  async snapshot(box: Box<State>, id: string, name = id): Promise<Snapshot> {
    const directory = path.join(await this.directory(), 'snapshots', id);
    await box.tree.copyTo(directory);
    const snapshot: Snapshot = { id, name, createdAt: this.#clock.date(), directory, origin: box.id };
    this.#snapshots.set(id, snapshot);
    return snapshot;
  }

  findSnapshot(idOrName: string): Snapshot | undefined {
    return this.#snapshots.get(idOrName) ?? this.snapshots().find(({ name }) => name === idOrName);
  }

  snapshots(): Snapshot[] {
    return [...this.#snapshots.values()];
  }

  async removeSnapshot(snapshot: Snapshot): Promise<void> {
    this.#snapshots.delete(snapshot.id);
    await rm(snapshot.directory, { recursive: true, force: true, maxRetries: 3 });
  }

  async clear(): Promise<void> {
    await Promise.all([...this.#boxes.values()].map((box) => this.remove(box)));
    this.#snapshots.clear();
    const directory = await this.#directory;
    if (directory !== undefined) await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    this.#directory = undefined;
  }
}
