import { dirname, join } from 'node:path';
import { defineSubject, type Faults, type Subject } from '@petasos/core/conformance';
import { clientOf, type FaultProxy, startFaultProxy } from '@petasos/testbed';
import { Engine } from '../src/engine/engine.js';
import docker, { type DockerOptions } from '../src/index.js';

/** An engine that the suite runs on, Docker's or one with its interface. */
export interface EnginePlace {
  /** The engine itself, behind the back of whatever is tested. */
  readonly engine: Engine;
  /** The docker backend under these options, with everything that can go wrong with a line and with a container. */
  subjectWith(options: DockerOptions, module: string): Subject;
}

/** A small file system in memory that every sandbox under test has. */
const full = { path: '/petasos-full', bytes: 128 * 1024 };

const tmpfs = { [full.path]: `size=${full.bytes},mode=1777` };

export async function placeOn(info: { readonly host: string; readonly socket: string }): Promise<EnginePlace> {
  const engine = await Engine.of({ host: info.host }, { env: {}, platform: process.platform });
  // A line to the engine that can be spoilt. Another client of a scenario has a plain one: nothing may keep it from exiting.
  const proxy: FaultProxy | undefined =
    process.env.PETASOS_CLIENT_TASK === undefined
      ? await startFaultProxy({
          upstream: { path: info.socket },
          listen: { path: join(dirname(info.socket), `proxy-${process.pid}.sock`) },
        })
      : undefined;
  const host = proxy && 'path' in proxy.address ? `unix://${proxy.address.path}` : info.host;
  const faults = faultsOf(engine, proxy);
  return {
    engine,
    subjectWith(options, module) {
      const whole = { ...options, host, pull: 'never', tmpfs } as const;
      return defineSubject({
        backend: docker,
        options: whole,
        faults,
        spawnClient: clientOf(module),
        modes: {
          'network.none': { ...whole, network: false },
          'limits.cpu': { ...whole, cpus: 0.5 },
          'limits.memory': { ...whole, memoryMiB: 64 },
          'limits.pids': { ...whole, pids: 64 },
        },
      });
    },
  };
}

function faultsOf(engine: Engine, proxy: FaultProxy | undefined): Faults {
  return {
    async cutConnection() {
      proxy?.cut();
    },
    killPlace: ({ id }) => engine.connection.send({ method: 'POST', path: `/containers/${id}/kill`, what: 'kill the container' }),
    async pausePlace({ id }) {
      await engine.pause(id);
      // Petasos may have woken it meanwhile.
      return () => engine.unpause(id).catch(() => {});
    },
    async delay(_, ms) {
      proxy?.delay(ms);
      return async () => proxy?.delay(0);
    },
    async fullDirectory(sandbox) {
      return {
        ...full,
        async release() {
          await sandbox.exec(`rm -rf ${full.path}/* ${full.path}/.[!.]*`);
        },
      };
    },
  };
}
