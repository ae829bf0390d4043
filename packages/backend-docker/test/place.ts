import { dirname, join } from 'node:path';
import type { Faults } from '@petasos/core/conformance';
import { type FaultProxy, need, startFaultProxy } from '@petasos/testbed';
import { Engine } from '../src/engine/engine.js';

export const testbed = await need('docker');

/** The engine itself, behind the back of whatever is tested. */
const engine = await Engine.of({ host: testbed.host }, { env: {}, platform: process.platform });

/** A line to the engine that can be spoilt. Another client of a scenario has a plain one: nothing may keep it from exiting. */
const proxy: FaultProxy | undefined =
  process.env.PETASOS_CLIENT_TASK === undefined
    ? await startFaultProxy({
        upstream: { path: testbed.socket },
        listen: { path: join(dirname(testbed.socket), `proxy-${process.pid}.sock`) },
      })
    : undefined;

export const host = proxy && 'path' in proxy.address ? `unix://${proxy.address.path}` : testbed.host;

/** A small file system in memory that every sandbox under test has. */
const full = { path: '/petasos-full', bytes: 128 * 1024 };

export const tmpfs = { [full.path]: `size=${full.bytes},mode=1777` };

const kill = (id: string) => engine.connection.send({ method: 'POST', path: `/containers/${id}/kill`, what: 'kill the container' });

/** What can go wrong with a line and with a container. */
export const faults: Faults = {
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
