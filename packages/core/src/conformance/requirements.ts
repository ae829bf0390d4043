import type { Capabilities } from '../contract/index.js';
import { unsupported } from './expect.js';
import type { Context, Requirement } from './scenario.js';

/** A capability whose use throws `unsupported` where it is not declared. */
export function needs(capability: keyof Capabilities & string, use: (context: Context) => Promise<unknown>): Requirement {
  return {
    capability,
    met: (capabilities) => capabilities[capability] !== false,
    absent: (context) => unsupported(context, capability, () => use(context)),
  };
}

/** Where nobody can attach to a sandbox, a second `open` of its name says so and makes no other one. */
export const needsReattach: Requirement = {
  capability: 'reattach',
  met: (capabilities) => capabilities.reattach,
  async absent(context) {
    const name = context.name();
    await context.open({ name });
    await unsupported(context, 'reattach', () => context.open({ name }));
  },
};
