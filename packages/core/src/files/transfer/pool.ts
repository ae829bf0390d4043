const mostTasks = 16;
const mostBytes = 4 * 1024 * 1024;

/** Runs tasks beside each other, but holds no more than some of them and their bytes at a time. The first failure is kept. */
export class Pool {
  readonly #running = new Set<Promise<void>>();
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;

  /** Resolves when there is room for another task. */
  async add(bytes: number, task: () => Promise<void>): Promise<void> {
    this.#bytes += bytes;
    const running: Promise<void> = task()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#bytes -= bytes;
        this.#running.delete(running);
      });
    this.#running.add(running);
    while (this.#running.size >= mostTasks || (this.#bytes > mostBytes && this.#running.size > 0)) await Promise.race(this.#running);
    this.#check();
  }

  /** Resolves when every task is over. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
    this.#check();
  }

  /** The same, whether or not one failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
