import { randomBytes } from 'node:crypto';
import {
  type Driver,
  type DriverForward,
  type DriverProcess,
  isPetasosError,
  type SandboxRef,
  type SpawnRequest,
} from '@petasos/core/backend';
import { label } from './container/labels.js';
import { endedAtOnce } from './create.js';
import type { Engine } from './engine/engine.js';
import { statusOf } from './engine/errors.js';
import type { ContainerDetails } from './engine/shapes.js';
import { forwardPort } from './forward.js';
import { stateOf } from './list.js';
import type { DockerOptions } from './options.js';
import { OutOfMemory } from './out-of-memory.js';
import { placementOf } from './placement.js';
import { gone, startProcess } from './process.js';
import { takeSnapshot } from './snapshot.js';
import { openTerminal } from './terminal.js';

export interface DriverSettings {
  readonly engine: Engine;
  readonly ref: SandboxRef;
  readonly options: DockerOptions;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly container: Pick<ContainerDetails, 'Config' | 'HostConfig'>;
  /** Whether this process has just made it. */
  readonly fresh: boolean;
}

/** One container, by its id: one of the same name that took its place is another sandbox. */
export function createDriver({ engine, ref, options, hostEnv, container, fresh }: DriverSettings): Driver {
  const env = variablesOf(options, hostEnv);
  const described = async (): Promise<ContainerDetails> => {
    const found = await engine.container(ref.id);
    const state = stateOf(found?.State.Status);
    if (found === undefined || state === 'gone' || state === 'stopped') throw gone(ref.name);
    return found;
  };
  /** Somebody else may have paused it, and whoever uses a paused sandbox wakes it. */
  const awake = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      if (statusOf(error) === undefined) throw error;
      const { State } = await described();
      if (State.Status !== 'paused') throw error;
      await resume();
      return action();
    }
  };
  const resume = async () => {
    try {
      await engine.unpause(ref.id);
    } catch (error) {
      if (statusOf(error) === undefined || (await described()).State.Status === 'paused') throw error;
    }
  };
  const start = (request: SpawnRequest, more: Readonly<Record<string, string>> = {}): Promise<DriverProcess> =>
    awake(() => startProcess(engine, ref, request, { ...env, ...more }));
  const forwards = new Set<DriverForward>();
  let used = false;
  let memory: OutOfMemory | undefined;
  const watchMemory = () => {
    if (!container.HostConfig.Memory) return;
    memory ??= new OutOfMemory((argv) => start({ argv, stdin: false }), fresh ? 0 : undefined);
  };

  return {
    ref,
    scratch: container.Config.Labels?.[label.scratch] || undefined,
    async placement() {
      return placementOf(await described(), options);
    },
    async spawn(request) {
      try {
        const process = await start(request);
        used = true;
        watchMemory();
        return process;
      } catch (error) {
        if (!fresh || used || !isPetasosError(error, 'destroyed')) throw error;
        await engine.removeContainer(ref.id).catch(() => {});
        throw endedAtOnce(ref.name);
      }
    },
    async state() {
      return stateOf((await engine.container(ref.id, true))?.State.Status);
    },
    async explainKill() {
      return (await memory?.killed()) ? 'out-of-memory' : undefined;
    },
    async pause() {
      try {
        await engine.pause(ref.id);
      } catch (error) {
        if (statusOf(error) === undefined || (await described()).State.Status !== 'paused') throw error;
      }
    },
    resume,
    snapshot: () => takeSnapshot(engine, ref),
    terminal: (request) => awake(() => openTerminal(engine, ref, request, env)),
    async forward(port) {
      await described();
      const cookie = randomBytes(16).toString('hex');
      const forward = await forwardPort((argv, stdin, more) => start({ argv, stdin }, more), port, cookie);
      forwards.add(forward);
      return forward;
    },
    async close() {
      await Promise.all([...forwards].map((forward) => forward.close()));
    },
  };
}

/** The sandbox's own variables travel with each process that is started: what a container itself has, anybody can inspect. */
function variablesOf({ env, forwardEnv }: DockerOptions, hostEnv: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const forwarded = (forwardEnv ?? []).flatMap((name) => {
    const value = hostEnv[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...env, ...Object.fromEntries(forwarded) };
}
