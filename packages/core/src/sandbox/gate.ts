import type { Gate, GatePass } from '../contract/index.js';

const pass: GatePass = { ended() {} };

/** Admits every command. */
export function admitAll(): Gate {
  return { admit: async () => pass };
}

/**
 * The gate of a sandbox whose opener gave none: the approval layer with nobody to ask. The judge is loaded with the first command, while
 * the way to the place is being opened.
 */
export function denyUnapprovedLater(): Gate {
  let gate: Promise<Gate> | undefined;
  return {
    async admit(request) {
      gate ??= import('../approval/index.js').then(({ denyUnapproved }) => denyUnapproved());
      return (await gate).admit(request);
    },
  };
}
