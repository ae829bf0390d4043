import type { Setting } from '../../config/config.js';
import { oneLine } from '../../ui/text.js';

/** A setting's value on one line, or what is wrong with it. */
export function valueText({ value, problem }: Setting): string {
  if (problem !== undefined) return `(${problem})`;
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}
