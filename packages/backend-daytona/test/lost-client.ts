import daytona from '@petasos/backend-daytona';
import { admitAll, open } from '@petasos/core';

/** Starts a job, tells its id when it has begun to write, and is killed. */
const sandbox = await open(daytona, { name: 'lost', gate: admitAll() });
const { id } = await sandbox.jobs.start('seq 1 1000; until [ -e /tmp/go ]; do sleep 0.1; done; seq 1001 2000; exit 7');
while ((await sandbox.jobs.output(id, { from: 0 })).bytes.length === 0);
process.send?.(id);
setInterval(() => {}, 60_000);
