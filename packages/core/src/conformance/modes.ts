import type { Capabilities, Placement } from '../contract/index.js';
import type { Sandbox } from '../sandbox/types.js';
import { ensure, fail, within } from './expect.js';
import { openFor } from './open.js';
import type { Context, Requirement } from './scenario.js';
import type { Mode } from './subject.js';

/** Runs `work` in a sandbox where the mode is in force, which is removed afterwards. */
export async function inMode(
  context: Context,
  mode: Mode,
  inForce: (placement: Placement) => boolean,
  work: (sandbox: Sandbox, placement: Placement) => Promise<void>,
): Promise<void> {
  const { subject, hostEnv } = context;
  const chosen = subject.modes?.[mode];
  if (chosen === undefined && !inForce(context.placement))
    fail(`${mode} is declared: give the subject options that put it in force, as modes['${mode}']`);
  const name = context.name();
  context.run.opened.add(name);
  const sandbox = await openFor({ ...subject, options: chosen ?? subject.options }, { name, hostEnv });
  try {
    const placement = await sandbox.placement();
    ensure(
      inForce(placement),
      `the placement should say that ${mode} is in force, observed ${JSON.stringify([placement.network, placement.limits])}`,
    );
    await work(sandbox, placement);
  } finally {
    await within(20_000, `destroying ${name}`, sandbox.destroy());
  }
}

/** A mode that is declared. Where it is not, the placement must not claim that it is in force. */
export function needsMode(
  mode: Mode,
  met: (capabilities: Capabilities) => boolean,
  inForce: (placement: Placement) => boolean,
): Requirement {
  return {
    capability: mode,
    met,
    async absent({ placement }) {
      if (inForce(placement)) fail(`${mode} is in force by the placement and is not declared`);
    },
  };
}
