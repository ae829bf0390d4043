/** What is wrong with the line at the moment; one for all connections of a proxy. */
export class Faults {
  delayMs = 0;
  stalled = false;
  refusing = false;
  /** Bytes that may still pass, both directions together, before every connection is cut. */
  #bytesLeft = Number.POSITIVE_INFINITY;
  readonly #cut: () => void;

  constructor(cut: () => void) {
    this.#cut = cut;
  }

  limitBytes(bytes: number): void {
    this.#bytesLeft = bytes;
  }

  /** How many of `bytes` may pass. */
  take(bytes: number): number {
    const allowed = Math.min(bytes, this.#bytesLeft);
    this.#bytesLeft -= allowed;
    return allowed;
  }

  exhausted(): void {
    this.#bytesLeft = Number.POSITIVE_INFINITY;
    this.#cut();
  }
}
