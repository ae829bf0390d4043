import { spawn } from 'node:child_process';
import { hostname, userInfo } from 'node:os';
import type {
  Driver,
  DriverExit,
  DriverForward,
  DriverPlacement,
  DriverProcess,
  SandboxRef,
  SandboxState,
  SpawnRequest,
} from '@petasos/core/backend';
import { PetasosError } from '@petasos/core/backend';
import { baseEnvironment } from './environment.js';
import { readRecord, type SandboxRecord, scratchOf } from './records.js';
import { openTerminal } from './terminal.js';

export function createDriver(record: SandboxRecord, directory: string, hostEnv: Readonly<Record<string, string | undefined>>): Driver {
  const ref: SandboxRef = { backend: 'local', id: record.id, name: record.name };
  // Whatever carries the id belongs to the sandbox and ends with it, the engine's own supervisors included.
  const env = { ...baseEnvironment(hostEnv), PETASOS_SANDBOX: record.id };
  const requirePresent = async () => {
    const present = await readRecord(directory, record.name);
    if (present?.id === record.id) return;
    throw new PetasosError('destroyed', `the sandbox ${record.name} of local has been destroyed`, {
      backend: 'local',
      remedy: 'Open a new one.',
    });
  };
  return {
    ref,
    scratch: scratchOf(directory, record.name),
    workdir: record.workdir,
    async placement() {
      await requirePresent();
      return placement(env);
    },
    async spawn(request) {
      await requirePresent();
      return spawnProcess(request, env);
    },
    async state(): Promise<SandboxState> {
      const present = await readRecord(directory, record.name);
      return present?.id === record.id ? 'running' : 'gone';
    },
    async close() {},
    async terminal(request) {
      await requirePresent();
      return openTerminal(request, record.workdir, env);
    },
    async forward(port): Promise<DriverForward> {
      return { address: `127.0.0.1:${port}`, async close() {} };
    },
  };
}

function placement(env: Readonly<Record<string, string>>): DriverPlacement {
  const user = userInfo();
  return {
    machine: { name: hostname(), os: process.platform },
    user: { name: user.username, uid: user.uid },
    mounts: [{ source: '/', target: '/', access: 'read-write' }],
    network: { mode: 'open' },
    limits: {},
    isolation: 'none',
    storage: 'host',
    lifetimeLeftMs: null,
    cost: { class: 'free' },
    warnings: [
      {
        id: 'isolation.none',
        message: `commands run on this machine as ${user.username}, with all that ${user.username} can reach, ${env.HOME ?? 'the home directory'} included`,
        remedy: 'Use docker, ssh or a cloud backend for commands that you would not run yourself.',
      },
      ...(user.uid === 0
        ? [{ id: 'user.root', message: 'commands run as root', remedy: 'Run Petasos as an ordinary user, or choose a container.' }]
        : []),
    ],
  };
}

function spawnProcess(request: SpawnRequest, env: Readonly<Record<string, string>>): Promise<DriverProcess> {
  const [program, ...args] = request.argv;
  // A session of its own: no terminal that a command could take over, and no Ctrl-C that was meant for Petasos.
  const child = spawn(program, args, {
    // Where a command starts is said with each command; the directory of the sandbox may be gone by now.
    cwd: '/',
    env: { ...env, ...request.env },
    detached: true,
    stdio: [request.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<DriverExit>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      reject(
        new PetasosError('place-failed', `cannot start ${program} on this machine`, {
          backend: 'local',
          operation: 'spawn',
          remedy: `Check that ${program} is installed and may be run.`,
          cause,
        }),
      );
    });
    child.once('spawn', () => {
      const { stdin, stdout, stderr } = child;
      if (!stdout || !stderr) return;
      resolve({
        stdin: stdin ?? undefined,
        stdout,
        stderr,
        exited,
        kill() {
          child.kill('SIGKILL');
          for (const stream of [stdin, stdout, stderr]) stream?.destroy();
        },
      });
    });
  });
}
