import { openSync } from 'node:fs';
import type { Context } from './context.js';

/** Our own input must not compete for the answer, and a raw terminal would not end it at Enter. */
export function holdInput({ stdin }: Context): () => void {
  if (stdin.isTTY !== true) return () => {};
  const wasRaw = stdin.isRaw;
  const wasFlowing = stdin.readableFlowing === true;
  stdin.pause();
  if (wasRaw) stdin.setRawMode(false);
  return () => {
    if (wasRaw) stdin.setRawMode(true);
    if (wasFlowing) stdin.resume();
  };
}

/** The terminal that a person sits at, whatever the streams of this process are; undefined when there is none. */
export function openTerminal(): number | undefined {
  try {
    return openSync('/dev/tty', 'r');
  } catch {
    return undefined;
  }
}
