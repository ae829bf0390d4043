import { setTimeout as delay } from 'node:timers/promises';
import type { Placement } from '../contract/index.js';
import { isPetasosError, unsupported } from '../contract/index.js';
import type { SandboxCore } from './core.js';
import { defaultGraceMs } from './core.js';
import { exec } from './exec.js';
import { sandboxFiles } from './files.js';
import { createJobs } from './jobs.js';
import { spawnProcess } from './process.js';
import { ShellSessions } from './shell.js';
import { openTerminal } from './terminal.js';
import type { Sandbox } from './types.js';

/** What becomes of a sandbox without a name when its holder is done with it. */
export interface SandboxIdentity {
  readonly origin: Sandbox['origin'];
  readonly named: boolean;
}

/** Whoever destroys a place does not wait for its commands' good manners. */
const destroyGraceMs = 200;

export function createSandbox(core: SandboxCore, identity: SandboxIdentity): Sandbox {
  const { driver, backend, capabilities, life } = core;
  const shells = new ShellSessions(core);
  const jobs = life.guard(createJobs(core), 'jobs');
  const files = sandboxFiles(core);
  let ending: Promise<void> | undefined;

  /** What only some places can do. */
  const able = <Result>(present: unknown, capability: string, operation: string, action: () => Promise<Result>): Promise<Result> =>
    life.during(operation, async () => {
      if (!present) throw unsupported(backend.name, capability, operation);
      return action();
    });

  const letGo = async (reason: 'aborted' | 'destroyed') => {
    // A command cannot end in its sleep. A place where none runs is left asleep.
    if (core.activity.size > 0) await core.rest.wake();
    await core.activity.stop(reason, reason === 'aborted' ? defaultGraceMs : destroyGraceMs);
    // A place that does not answer must keep nobody from letting go of it.
    if (!core.rest.paused) await Promise.race([shells.close(), delay(defaultGraceMs, undefined, { ref: false })]);
    await core.spills.close();
    await core.runner.close();
    await driver.close();
  };

  const close = async () => {
    if (life.state !== 'open') return ending;
    life.end('closed');
    ending = letGo('aborted');
    return ending;
  };

  const destroy = async () => {
    if (life.state === 'destroyed') return ending;
    life.end('destroyed');
    ending = (async () => {
      try {
        await letGo('destroyed');
      } finally {
        // A place that went away by itself has nothing left to remove.
        await backend.destroy(core.backendOptions, driver.ref, core.host).catch((error: unknown) => {
          if (!isPetasosError(error, 'sandbox-not-found')) throw error;
        });
      }
    })();
    return ending;
  };

  return {
    id: driver.ref.id,
    name: driver.ref.name,
    backend: backend.name,
    ref: driver.ref,
    capabilities,
    origin: identity.origin,
    exec: (command, options) => exec(core, command, options),
    spawn: (command, options) => life.during('spawn', () => spawnProcess(core, command, options)),
    shell: (name, options) => shells.get(name, options),
    jobs,
    files,
    placement: (): Promise<Placement> => life.during('placement', () => core.placement()),
    pause: () => able(capabilities.pause && driver.pause, 'pause', 'pause', () => core.rest.pause()),
    resume: () => able(capabilities.pause && driver.resume, 'pause', 'resume', async () => core.rest.wake() ?? driver.resume?.()),
    snapshot: () => able(capabilities.snapshot && driver.snapshot, 'snapshot', 'snapshot', async () => (await driver.snapshot?.()) ?? ''),
    terminal: (options) => able(capabilities.terminal && driver.terminal, 'terminal', 'terminal', () => openTerminal(core, options)),
    forward: (port) =>
      able(capabilities.forward && driver.forward, 'forward', 'forward', async () => {
        const forward = await driver.forward?.(port);
        if (!forward) throw unsupported(backend.name, 'forward', 'forward');
        return forward;
      }),
    extend: (ms) => able(driver.extend, 'extend', 'extend', async () => driver.extend?.(ms)),
    close,
    destroy,
    [Symbol.asyncDispose]: () => (identity.named ? close() : destroy()),
  };
}
