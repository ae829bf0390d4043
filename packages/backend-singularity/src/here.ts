import type { SandboxState } from '@petasos/core/backend';
import { destroyed } from './errors.js';
import { ensureInstance } from './instance.js';
import { findRecord, instanceName, type SandboxRecord } from './records.js';
import { execWords, type Runtime } from './runtime.js';
import type { Site } from './site.js';

/** Instances on the machine itself. */
export function here(site: Site): Runtime {
  const state = async (record: SandboxRecord): Promise<SandboxState> => {
    const found = await findRecord(site, record.name);
    return found?.record.id === record.id ? found.state : 'gone';
  };
  return {
    start: (record, context) => ensureInstance(site, record, context),
    states: async (found) => found.map((one) => one.state),
    async require(record) {
      const now = await state(record);
      if (now === 'gone') throw destroyed(record);
      if (now === 'stopped') throw destroyed(record, 'has stopped');
    },
    state,
    spawn: (record, argv, stdin) => site.machine.spawn([...execWords(site.program, instanceName(record)), ...argv], stdin),
    node: async () => site.machine,
    placement: async () => ({}),
  };
}
