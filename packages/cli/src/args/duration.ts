import { UsageError } from '../ui/errors.js';

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const shape = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const part = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** The longest that a timer can wait. */
const mostMs = 2_147_483_647;

/**
 * `90s`, `1m30s`, `500ms`, `2h`, `1.5d`; a bare number is seconds.
 * @returns milliseconds, at least 1
 */
export function parseDuration(text: string, option: string): number {
  const withUnit = /^\d+(?:\.\d+)?$/.test(text) ? `${text}s` : text;
  if (!shape.test(withUnit))
    throw new UsageError(`${option}: ${JSON.stringify(text)} is not a duration`, 'Write it like 90s, 5m or 1h30m.');
  let total = 0;
  for (const [, amount, unit] of withUnit.matchAll(part)) total += Number(amount) * unitMs[unit as keyof typeof unitMs];
  const ms = Math.round(total);
  if (ms < 1)
    throw new UsageError(`${option}: ${JSON.stringify(text)} is no time at all`, 'Give a duration above zero, or leave the option out.');
  if (ms > mostMs) throw new UsageError(`${option}: ${JSON.stringify(text)} is too long`, 'At most 24 days.');
  return ms;
}
