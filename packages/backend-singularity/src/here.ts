import { spawnAtDoor } from './door.js';
import { destroyed } from './errors.js';
import { ensureInstance } from './instance.js';
import { type Found, findRecord, instanceName, type SandboxRecord } from './records.js';
import { execWords, type Runtime } from './runtime.js';
import type { Site } from './site.js';

/** Containers on the machine itself. */
export function here(site: Site): Runtime {
  const look = async (record: SandboxRecord): Promise<Found | undefined> => {
    const found = await findRecord(site, record.name);
    return found?.record.id === record.id ? found : undefined;
  };
  const running = async (record: SandboxRecord): Promise<Found> => {
    const found = await look(record);
    if (found === undefined || found.state === 'gone') throw destroyed(record);
    if (found.state === 'stopped') throw destroyed(record, 'has stopped');
    return found;
  };
  return {
    start: (record, context) => ensureInstance(site, record, context),
    states: async (found) => found.map((one) => one.state),
    async require(record) {
      await running(record);
    },
    state: async (record) => (await look(record))?.state ?? 'gone',
    async spawn(record, argv, stdin) {
      const { instance } = await running(record);
      if (instance) return site.machine.spawn([...execWords(site.program, instanceName(record)), ...argv], stdin);
      return spawnAtDoor(site, record, { way: [], argv, stdin, running: () => running(record) });
    },
    node: async () => site.machine,
    placement: async () => ({}),
  };
}
