import { type DriverPlacement, timerMs } from '@petasos/core/backend';
import type { VercelOptions } from './options.js';
import type { VercelPlace } from './place.js';

const minuteMs = 60_000;
const defaultSessionMinutes = 45;
const defaultLongestMinutes = 24 * 60;

function longestMs({ longestSessionMinutes = defaultLongestMinutes }: VercelOptions): number {
  return longestSessionMinutes * minuteMs;
}

/** How long a session lives at first, in milliseconds. */
export function sessionMs(options: VercelOptions, lifetimeMs: number | undefined): number {
  const wanted = lifetimeMs ?? (options.sessionMinutes ?? defaultSessionMinutes) * minuteMs;
  return Math.max(1000, Math.min(wanted, longestMs(options)));
}

export interface LeaseSettings {
  readonly place: VercelPlace;
  readonly options: VercelOptions;
  /** Milliseconds without use after which the session is stopped; undefined: it runs to its end. */
  readonly idleMs: number | undefined;
  /** A life that somebody has set is not made longer. */
  readonly fixed: boolean;
  /** Whether anything of the sandbox still runs in it. */
  busy(): Promise<boolean>;
}

/** Keeps a session alive while it is used, up to the plan's maximum, and lets it sleep when it is not. */
export class Lease {
  readonly #settings: LeaseSettings;
  #usedAt = performance.now();
  #extending: Promise<void> | undefined;
  #refused: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: LeaseSettings) {
    this.#settings = settings;
    this.#watch();
  }

  /** To be called at every use. */
  touch(): void {
    this.#usedAt = performance.now();
    if (!this.#settings.fixed) this.#extendSoon();
  }

  /** @throws what the service says. */
  async extend(ms: number): Promise<void> {
    await this.#settings.place.use('extend', (session) => session.extendTimeout(ms));
  }

  get leftMs(): number {
    const { session } = this.#settings.place;
    if (session.status !== 'running') return 0;
    return Math.max(0, (session.startedAt ?? session.createdAt).getTime() + session.timeout - Date.now());
  }

  get maximumMs(): number {
    return longestMs(this.#settings.options);
  }

  warnings(): DriverPlacement['warnings'] {
    if (this.#refused === undefined) return [];
    return [
      {
        id: 'lifetime.not-extended',
        message: `vercel did not let the session of ${this.#settings.place.name} live longer: ${this.#refused}`,
        remedy: 'Set longestSessionMinutes to what the plan allows; what still runs then ends with the session, the files stay.',
      },
    ];
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #extendSoon(): void {
    const { session } = this.#settings.place;
    const first = sessionMs(this.#settings.options, undefined);
    const room = longestMs(this.#settings.options) - session.timeout;
    if (this.#extending !== undefined || this.#refused !== undefined || room < minuteMs || this.leftMs > first / 2) return;
    this.#extending = session
      .extendTimeout(Math.min(room, first))
      .catch((error: unknown) => {
        // Another session may be running by now; one that was refused is not asked again.
        if (this.#settings.place.session === session) this.#refused = error instanceof Error ? error.message : String(error);
      })
      .finally(() => {
        this.#extending = undefined;
      });
  }

  #watch(): void {
    const { idleMs } = this.#settings;
    if (idleMs === undefined) return;
    const leftMs = idleMs - (performance.now() - this.#usedAt);
    this.#timer = setTimeout(
      () => {
        if (performance.now() - this.#usedAt < idleMs) this.#watch();
        else void this.#rest().finally(() => this.#watch());
      },
      timerMs(Math.max(leftMs, 1000)),
    );
    this.#timer.unref();
  }

  async #rest(): Promise<void> {
    const { place, busy } = this.#settings;
    if (place.session.status !== 'running') return;
    try {
      if (await busy()) this.touch();
      else await place.stop();
    } catch {
      // The next look is soon enough.
    }
    this.#usedAt = performance.now();
  }
}
