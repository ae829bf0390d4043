import type { GateRequest } from '../../contract/gate.js';
import type { Placement } from '../../contract/placement.js';

const freshMs = 30_000;
const most = 256;

/**
 * Keeps placements for a while: asking can cost a round trip, and what the judge needs of one (mounts, isolation, user,
 * network) is fixed for the life of a sandbox.
 */
export class PlacementCache {
  readonly #known = new Map<string, { readonly at: number; readonly place: Promise<Placement> }>();

  constructor(private readonly clock: () => number) {}

  of(request: GateRequest): Promise<Placement> {
    const key = JSON.stringify([request.sandbox.backend, request.sandbox.id]);
    const now = this.clock();
    const known = this.#known.get(key);
    if (known !== undefined && now >= known.at && now - known.at < freshMs) return known.place;
    const place = request.placement();
    this.#known.delete(key);
    this.#known.set(key, { at: now, place });
    // A failure is not an answer to the next request.
    place.catch(() => this.#known.delete(key));
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= most) break;
      this.#known.delete(oldest);
    }
    return place;
  }
}
