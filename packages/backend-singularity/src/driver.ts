import type { Driver } from '@petasos/core/backend';
import { describe } from './placement.js';
import { refOf, type SandboxRecord } from './records.js';
import type { Runtime } from './runtime.js';
import type { Site } from './site.js';
import { snapshot } from './snapshots.js';

/** One sandbox whose instance runs. */
export function createDriver(site: Site, runtime: Runtime, record: SandboxRecord, forwards: boolean): Driver {
  return {
    ref: refOf(record),
    workdir: record.workdir,
    async placement() {
      await runtime.require(record);
      return describe(site, runtime, record);
    },
    spawn: ({ argv, stdin }) => runtime.spawn(record, argv, stdin),
    state: () => runtime.state(record),
    ...(forwards && {
      // It shares the network of this machine.
      forward: async (port: number) => ({ address: `127.0.0.1:${port}`, async close() {} }),
    }),
    ...(record.settings.persistent && {
      async snapshot() {
        await runtime.require(record);
        return snapshot(site, runtime, record);
      },
    }),
    async close() {
      site.machine.close();
    },
  };
}
