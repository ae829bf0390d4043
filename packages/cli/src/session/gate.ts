import { admitAll, type Gate } from '@petasos/core';
import type { Context } from './context.js';

/** What stands in front of every command text of this invocation. The one place that decides it. */
export function makeGate(_context: Context): Gate {
  return admitAll();
}
