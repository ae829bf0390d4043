import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type DriverExit, type DriverProcess, PetasosError, type SpawnRequest } from '@petasos/core/backend';
import { demultiplex } from './engine/demultiplex.js';
import type { Engine } from './engine/engine.js';
import { lost } from './engine/errors.js';
import { stateOf } from './list.js';

/** How long after the end of its streams the engine may take to record how a process ended. */
const recordMs = 2_000;
const pollMs = 20;
/** How a process ends that was killed. */
const killedCode = 137;
const endingMs = 500;

/** Starts a process in a container, with its streams on one connection of its own. */
export async function startProcess(
  engine: Engine,
  container: { readonly id: string; readonly name: string },
  request: SpawnRequest,
  env: Readonly<Record<string, string>>,
): Promise<DriverProcess> {
  const variables = Object.entries({ ...env, ...request.env }).map(([name, value]) => `${name}=${value}`);
  const exec = await engine.createExec(container.id, { argv: request.argv, stdin: request.stdin, env: variables });
  const socket = await engine.startExec(exec, false);
  const { stdout, stderr } = demultiplex(socket);
  const exited = observeExit(engine, container, exec, socket);
  return {
    stdin: request.stdin ? socket : undefined,
    stdout,
    stderr,
    exited,
    kill() {
      // The engine closes the process's stdin when the connection ends.
      socket.destroy();
    },
  };
}

/** What became of a process, once its connection is over: the engine knows, however that ended. */
export function observeExit(
  engine: Engine,
  container: { readonly id: string; readonly name: string },
  exec: string,
  socket: Duplex,
): Promise<DriverExit> {
  const over = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error'] as const) socket.once(event, () => resolve());
  });
  const exit = over.then(() => outcome(engine, container, exec));
  exit.catch(() => {});
  return exit;
}

async function outcome(engine: Engine, container: { readonly id: string; readonly name: string }, exec: string): Promise<DriverExit> {
  const deadline = performance.now() + recordMs;
  let cause: unknown;
  do {
    try {
      const details = await engine.exec(exec);
      if (details?.Running === false) {
        if (details.ExitCode === killedCode && (await isEnding(engine, container.id))) throw gone(container.name);
        return { exitCode: details.ExitCode };
      }
      // An engine forgets the processes of a container that has ended.
      const place = await engine.container(container.id, true);
      const state = stateOf(place?.State.Status);
      if (state === 'gone' || state === 'stopped') throw gone(container.name);
    } catch (error) {
      if (error instanceof PetasosError && error.code === 'destroyed') throw error;
      cause = error;
      break;
    }
    await delay(pollMs);
  } while (performance.now() < deadline);
  throw lost('carry a process’s output', cause);
}

/** A container that ends kills its processes first and is still said to run for a moment. */
async function isEnding(engine: Engine, id: string): Promise<boolean> {
  const deadline = performance.now() + endingMs;
  do {
    const state = stateOf((await engine.container(id, true))?.State.Status);
    if (state === 'gone' || state === 'stopped') return true;
    await delay(pollMs);
  } while (performance.now() < deadline);
  return false;
}

export function gone(name: string): PetasosError {
  return new PetasosError('destroyed', `the sandbox ${name} of docker is gone: its container has ended or was removed`, {
    backend: 'docker',
    remedy: 'Open it again.',
  });
}
