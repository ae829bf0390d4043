import type { Operator } from '../operator.js';

/** How long a record whose output has arrived may wait for company on its way out. */
const quietMs = 400;
/** How often the removal is tried where the place does not answer. */
const tries = 5;

/**
 * Records of held commands that nobody needs any more. They go with the next command's start, or together when there is none for a
 * moment: an operation of its own for each would cost as much as a command.
 */
export class GoneRecords {
  readonly #operator: Operator;
  readonly #path: (id: string) => Promise<string>;
  #waiting: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #removing: Promise<void> = Promise.resolve();

  constructor(operator: Operator, path: (id: string) => Promise<string>) {
    this.#operator = operator;
    this.#path = path;
  }

  add(id: string): void {
    this.#waiting.push(id);
    this.#arm();
  }

  /** What somebody else removes now; to be given back with {@link add} where that fails. */
  take(): readonly string[] {
    clearTimeout(this.#timer);
    return this.#waiting.splice(0);
  }

  /** Removes the record at once: with it ends a command that still runs. Resolves after the first try. */
  remove(id: string): Promise<void> {
    this.#removing = Promise.all([this.#removing, this.#remove([id], tries)]).then(() => {});
    return this.#removing;
  }

  /** Removes what waits. Resolves when the place has been asked, also for what was being removed already. */
  async flush(): Promise<void> {
    const ids = this.take();
    if (ids.length > 0) this.#removing = Promise.all([this.#removing, this.#remove(ids, 1)]).then(() => {});
    await this.#removing;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), quietMs);
    this.#timer.unref();
  }

  async #remove(ids: readonly string[], left: number): Promise<void> {
    try {
      const paths = await Promise.all(ids.map(this.#path));
      await this.#operator.operate('for d; do set -- "$@" "$d.input"; done; rm -rf -- "$@"', paths);
    } catch {
      if (left > 1) setTimeout(() => void this.#remove(ids, left - 1), 2 * quietMs).unref();
    }
  }
}
