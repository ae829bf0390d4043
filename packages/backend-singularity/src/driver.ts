import type { Driver, SandboxState } from '@petasos/core/backend';
import { destroyed } from './errors.js';
import { describe } from './placement.js';
import { findRecord, instanceName, refOf, type SandboxRecord } from './records.js';
import type { Site } from './site.js';
import { snapshot } from './snapshots.js';

/** One sandbox: an instance that runs on the site's machine. */
export function createDriver(site: Site, record: SandboxRecord): Driver {
  const state = async (): Promise<SandboxState> => {
    const found = await findRecord(site, record.name);
    return found?.record.id === record.id ? found.state : 'gone';
  };
  const requireRunning = async () => {
    const now = await state();
    if (now === 'gone') throw destroyed(record);
    if (now === 'stopped') throw destroyed(record, 'has stopped');
  };
  return {
    ref: refOf(record),
    workdir: record.workdir,
    async placement() {
      await requireRunning();
      return describe(site, record);
    },
    async spawn({ argv, stdin }) {
      await requireRunning();
      return site.machine.spawn([...execArguments(site, record), ...argv], stdin);
    },
    state,
    ...(record.settings.persistent && { snapshot: () => snapshot(site, record) }),
    async close() {},
  };
}

/** Words before a command line that is to run in the sandbox. */
function execArguments(site: Site, record: SandboxRecord): readonly string[] {
  return [site.program, '-q', 'exec', '--cleanenv', '--pwd', '/', `instance://${instanceName(record)}`];
}
