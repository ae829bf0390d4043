const sliceMs = 8;

/** Cuts long synchronous work into slices, so that it keeps this process from anything else only for a moment at a time. */
export class Slice {
  #end = performance.now() + sliceMs;

  /** Lets everything else run when the slice is over. */
  async pause(): Promise<void> {
    if (performance.now() < this.#end) return;
    await new Promise(setImmediate);
    this.#end = performance.now() + sliceMs;
  }
}
