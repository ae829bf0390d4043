import { isDeepStrictEqual } from 'node:util';
import type { ConfigKey } from './key-types.js';

/**
 * Whether `proposed` leaves commands less than `current` does. A setting that is not there has the value that holds without it.
 */
export function tightens(entry: ConfigKey, current: unknown, proposed: unknown): boolean {
  switch (entry.tightens) {
    case 'lower': {
      const now = current ?? entry.standing;
      if (typeof proposed !== 'number' || proposed <= 0) return false;
      return typeof now !== 'number' || now === 0 || proposed < now;
    }
    case 'off':
      return proposed === false && current !== false;
    case 'fewer': {
      const now: unknown = current ?? [];
      return Array.isArray(proposed) && Array.isArray(now) && proposed.length < now.length && proposed.every((item) => now.includes(item));
    }
    case 'stricter': {
      const order = entry.oneOf ?? [];
      return order.indexOf(String(proposed)) > order.indexOf(String(current ?? entry.standing));
    }
    default:
      return false;
  }
}

/** Whether `proposed` says what holds anyway. */
export function changesNothing(entry: ConfigKey, current: unknown, proposed: unknown): boolean {
  return isDeepStrictEqual(current ?? entry.standing, proposed);
}
