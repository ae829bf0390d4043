import { setTimeout as delay } from 'node:timers/promises';
import { closedError } from '../request.js';
import type { Lane } from './lane.js';
import { listens } from './watch.js';

/** How many lanes may be on their way at once: more would only compete for the same processor. */
const openingAtOnce = 8;
/** Idle lanes kept for the next command. */
const idleKept = 8;
/** How long the end of a pool waits for its lanes' shells to leave. */
const farewellMs = 1_000;

/**
 * The lanes of one sandbox. A command takes an idle lane; where there is none it takes whichever comes first: a new one, or one
 * that another command has just finished with. So a slow command never delays others.
 */
export class LanePool {
  readonly #open: () => Promise<Lane>;
  readonly #limit: number;
  readonly #lanes = new Set<Lane>();
  readonly #idle: Lane[] = [];
  readonly #waiters: { resolve(lane: Lane): void; reject(error: unknown): void }[] = [];
  readonly #openings = new Set<Promise<void>>();
  #opening = 0;
  #closed = false;

  constructor(open: () => Promise<Lane>, limit: number) {
    this.#open = open;
    this.#limit = limit;
  }

  /** @throws what opening a lane throws, or `closed`. */
  acquire(): Promise<Lane> {
    if (this.#closed) return Promise.reject(closedError());
    const idle = this.#idle.pop();
    if (idle) {
      idle.state = 'busy';
      return Promise.resolve(idle);
    }
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#grow();
    });
  }

  /** Gives back a lane that was acquired and not used. */
  release(lane: Lane): void {
    if (lane.state !== 'busy') return;
    lane.state = 'idle';
    this.#settled(lane);
  }

  /** Any lane that listens while a command has taken another one over. */
  listener(): Lane | undefined {
    for (const lane of this.#lanes) if (listens(lane)) return lane;
    return undefined;
  }

  /** Resolves when no lane is on its way any more and all have ended, or have been given time enough. */
  async close(): Promise<void> {
    this.#closed = true;
    const lanes = [...this.#lanes];
    for (const lane of lanes) lane.quit();
    this.#idle.length = 0;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(closedError());
    await Promise.allSettled(this.#openings);
    await Promise.race([Promise.all(lanes.map((lane) => lane.gone)), delay(farewellMs, undefined, { ref: false })]);
  }

  #grow(): void {
    this.#makeRoom();
    const wanted = Math.min(this.#waiters.length, openingAtOnce, this.#limit - this.#lanes.size) - this.#opening;
    for (let count = 0; count < wanted; count += 1) {
      this.#opening += 1;
      const opening = this.#open().then(
        (lane) => this.#opened(lane),
        (error: unknown) => this.#failed(error),
      );
      this.#openings.add(opening);
      void opening.then(() => this.#openings.delete(opening));
    }
  }

  /** Where no further lane may be opened, one that only waits for what a command has left behind must not keep the next command waiting. */
  #makeRoom(): void {
    if (this.#waiters.length === 0 || this.#lanes.size + this.#opening < this.#limit) return;
    const lanes = [...this.#lanes];
    if (lanes.some(({ leaving }) => leaving)) return;
    lanes.find(({ state }) => state === 'retired')?.quit();
  }

  #opened(lane: Lane): void | Promise<void> {
    this.#opening -= 1;
    if (this.#closed) {
      lane.quit();
      return lane.gone;
    }
    this.#lanes.add(lane);
    lane.onState = (changed) => this.#settled(changed);
    this.#settled(lane);
  }

  /** Somebody may still be served by a lane that is at work; only one who has nothing to wait for is told. */
  #failed(error: unknown): void {
    this.#opening -= 1;
    if (this.#lanes.size > 0 || this.#opening > 0) return;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  #settled(lane: Lane): void {
    if (lane.state === 'dead') {
      this.#lanes.delete(lane);
      const at = this.#idle.indexOf(lane);
      if (at !== -1) this.#idle.splice(at, 1);
      this.#grow();
      return;
    }
    if (lane.state === 'retired') this.#grow();
    if (lane.state !== 'idle') return;
    if (this.#closed) {
      lane.quit();
      return;
    }
    const waiter = this.#waiters.shift();
    if (waiter) {
      lane.state = 'busy';
      waiter.resolve(lane);
      this.#grow();
      return;
    }
    if (this.#idle.length < idleKept) this.#idle.push(lane);
    else lane.quit();
  }
}
