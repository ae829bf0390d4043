import { dirname, join } from 'node:path';
import { defineSubject, type Faults, type Subject } from '@petasos/core/conformance';
import { clientOf, type FaultProxy, importImage, need, startFaultProxy } from '@petasos/testbed';
import { Engine } from '../src/engine/engine.js';
import docker, { type DockerOptions } from '../src/index.js';

export const testbed = await need('docker');

/** The engine itself, behind the back of whatever is tested. */
export const engine = await Engine.of({ host: testbed.host }, { env: {}, platform: process.platform });

/** A line to the engine that can be spoilt. Another client of a scenario has a plain one: nothing may keep it from exiting. */
const proxy: FaultProxy | undefined =
  process.env.PETASOS_CLIENT_TASK === undefined
    ? await startFaultProxy({
        upstream: { path: testbed.socket },
        listen: { path: join(dirname(testbed.socket), `proxy-${process.pid}.sock`) },
      })
    : undefined;

const host = proxy && 'path' in proxy.address ? `unix://${proxy.address.path}` : testbed.host;

/** A small file system in memory that every sandbox under test has. */
const full = { path: '/petasos-full', bytes: 128 * 1024 };

const tmpfs = { [full.path]: `size=${full.bytes},mode=1777` };

const kill = (id: string) => engine.connection.send({ method: 'POST', path: `/containers/${id}/kill`, what: 'kill the container' });

/** What can go wrong with a line and with a container. */
const faults: Faults = {
  async cutConnection() {
    proxy?.cut();
  },
  killPlace: ({ id }) => kill(id),
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

/** An image with settings that a sandbox must cope with, made from the file system of another. */
export async function imageWith(reference: string, tar: string, changes: readonly string[]): Promise<string> {
  if ((await engine.image(reference)) === undefined) await importImage(testbed.socket, tar, reference, changes);
  return reference;
}

/** The docker backend under these options, with the faults of this file. */
export function subjectWith(options: DockerOptions, module: string): Subject {
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
}
