import type { Clock } from './clock.js';

/** How many requests an account may make: `burst` at once, then `perMinute`. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  constructor(clock: Clock, limit: { readonly perMinute: number; readonly burst: number }) {
    this.#clock = clock;
    this.#perMinute = limit.perMinute;
    this.#burst = limit.burst;
    this.#tokens = limit.burst;
    this.#at = clock.now();
  }

  /** Milliseconds to wait; 0 when the request is within the limit. */
  take(): number {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 60_000) * this.#perMinute);
    this.#at = now;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return Math.ceil(((1 - this.#tokens) / this.#perMinute) * 60_000);
  }
}
