import { type Driver, type DriverProcess, PetasosError, type SandboxState, type SpawnRequest } from '@petasos/core/backend';
import type { SshConnections } from './connection/index.js';
import { describePlace } from './placement.js';
import type { Place } from './records.js';

/** How long the server may take to answer a question, in milliseconds: the engine gives up after 2 500. */
const answerMs = 2_000;

/** Ends at once, with this status, where the sandbox's directory is gone: whoever removes a sandbox moves that away first. */
const goneStatus = 87;
const guard = `[ -d "$1" ] || exit ${goneStatus}; shift; exec "$@"`;

export function createDriver(connections: SshConnections, place: Place): Driver {
  const { ref, scratch, workdir } = place;
  // Whatever carries the id belongs to the sandbox and ends with it, the engine's own supervisors included.
  const env = { PETASOS_SANDBOX: ref.id };

  const isGone = async () => !(await connections.exists(scratch));
  const requirePresent = async () => {
    if (await isGone()) throw gone(ref.name);
  };

  const spawn = async (request: SpawnRequest): Promise<DriverProcess> => {
    const argv = ['/bin/sh', '-c', guard, 'petasos', scratch, ...request.argv] as const;
    const process = await connections.spawn({ ...request, argv, env: { ...env, ...request.env } });
    const exited = process.exited.then(async (exit) => {
      if (exit.exitCode === goneStatus && (await isGone())) throw gone(ref.name);
      return exit;
    });
    return { ...process, exited };
  };

  return {
    ref,
    scratch,
    workdir,
    async files() {
      const files = await connections.files();
      if (files) await requirePresent();
      return files;
    },
    async placement() {
      await requirePresent();
      return describePlace(connections);
    },
    spawn,
    async state(): Promise<SandboxState> {
      await connections.ping(answerMs);
      return (await isGone()) ? 'gone' : 'running';
    },
    async close() {
      connections.release();
    },
    async terminal(request) {
      await requirePresent();
      return connections.terminal({ ...request, cwd: request.cwd ?? workdir, env: { ...env, ...request.env } });
    },
    async forward(port) {
      await requirePresent();
      return connections.forward(port);
    },
  };
}

function gone(name: string): PetasosError {
  return new PetasosError('destroyed', `the sandbox ${name} of ssh has been destroyed`, { backend: 'ssh', remedy: 'Open a new one.' });
}
