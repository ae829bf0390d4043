import type { Gate, GatePass } from '../contract/index.js';

const pass: GatePass = { ended() {} };

/** Admits every command. */
export function admitAll(): Gate {
  return { admit: async () => pass };
}

/** The gate of a sandbox whose opener gave none. */
export const denyUnapproved = admitAll;
