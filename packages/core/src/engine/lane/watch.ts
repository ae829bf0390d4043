import type { Lane } from './lane.js';

/** Whether the lane hears what it is told. */
export function listens({ state, taken, leaving }: Pick<Lane, 'state' | 'taken' | 'leaving'>): boolean {
  return state !== 'dead' && !taken && !leaving;
}

export interface WatchSettings {
  readonly cookie: string;
  /** Finds a lane that listens, or opens one. */
  find(): Promise<Lane>;
}

/**
 * The lane that hears what is to be done with a command which has taken over another one: it ends the command when the client is lost, and
 * carries its signals, all of them, so that they arrive in their order. When it leaves or is itself taken over, another one does.
 */
export class Watch {
  readonly #settings: WatchSettings;
  #listener: Lane;
  #finding: Promise<Lane> | undefined;
  #over = false;

  /** `listener` watches from now on, before the command starts. */
  constructor(listener: Lane, settings: WatchSettings) {
    this.#settings = settings;
    this.#listener = listener;
    this.#begin(listener);
  }

  /** @throws what the driver throws, where the lane has left and no other can be opened. */
  lane(): Promise<Lane> {
    if (listens(this.#listener)) return Promise.resolve(this.#listener);
    this.#finding ??= this.#settings
      .find()
      .then((lane) => {
        this.#begin(lane);
        return lane;
      })
      .finally(() => {
        this.#finding = undefined;
      });
    return this.#finding;
  }

  /** `listener` watches instead of `taken`, which is about to be taken over: from then on its input is that of a command. */
  move(taken: Lane, listener: Lane): void {
    if (this.#listener === taken) this.#begin(listener);
  }

  /** The command has ended. */
  end(): void {
    this.#over = true;
    this.#listener.unwatch(this.#settings.cookie);
  }

  #begin(lane: Lane): void {
    if (this.#over) return;
    if (lane !== this.#listener) this.#listener.unwatch(this.#settings.cookie);
    this.#listener = lane;
    lane.watch(this.#settings.cookie);
  }
}
