/** Cancels what was planned. */
export type Cancel = () => void;

interface Planned {
  readonly at: number;
  readonly run: () => void;
}

/** The emulated service's clock. Tests move it on, so that a day passes at once, and set it wrong. */
export class Clock {
  #movedMs = 0;
  #skewMs = 0;
  readonly #planned = new Set<Planned>();
  #timer: NodeJS.Timeout | undefined;

  /** Milliseconds since the epoch, as the service believes. */
  now(): number {
    return this.#time() + this.#skewMs;
  }

  date(): Date {
    return new Date(this.now());
  }

  /** How wrong the service's clock is against the client's. Timers do not notice. */
  skew(ms: number): void {
    this.#skewMs = ms;
  }

  /** Lets time pass: what was planned within it runs now. */
  advance(ms: number): void {
    this.#movedMs += ms;
    this.#fire();
  }

  after(ms: number, run: () => void): Cancel {
    const planned: Planned = { at: this.#time() + ms, run };
    this.#planned.add(planned);
    this.#arm();
    return () => {
      this.#planned.delete(planned);
    };
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#planned.clear();
  }

  #time(): number {
    return Date.now() + this.#movedMs;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#planned.size === 0) return;
    const next = Math.min(...[...this.#planned].map(({ at }) => at));
    // A longer delay than a timer can hold is looked at again on the way.
    this.#timer = setTimeout(() => this.#fire(), Math.min(Math.max(0, next - this.#time()), 2 ** 30));
    this.#timer.unref();
  }

  #fire(): void {
    const due = [...this.#planned].filter(({ at }) => at <= this.#time()).sort((a, b) => a.at - b.at);
    for (const planned of due) {
      this.#planned.delete(planned);
      planned.run();
    }
    this.#arm();
  }
}
