import { setTimeout as delay } from 'node:timers/promises';
import { withJobs } from '../borrow.js';
import { ensure, equal, exited, printed, within } from '../expect.js';
import { listed } from '../listing.js';
import { needs } from '../requirements.js';
import { type Requirement, scenarios } from '../scenario.js';
import { nap } from '../shell-text.js';

const needsPause = needs('pause', ({ sandbox }) => sandbox.pause());

/** A place that keeps the disk alone starts anew: what ran in it is over, and no exit code is made up for it. */
const needsMemory: Requirement = {
  capability: 'pause.memory',
  met: (capabilities) => capabilities.pause === 'memory',
  async absent(context) {
    if (context.capabilities.pause === false) return needsPause.absent(context);
    const sandbox = await context.open();
    const job = await sandbox.jobs.start('sleep 600');
    await sandbox.pause();
    await sandbox.resume();
    const after = await sandbox.jobs.get(job.id);
    if (after.state === 'running') context.note('pause.memory is not declared, and a job lived on through a pause');
    else
      equal(
        [after.state === 'lost' || after.state === 'signaled', after.exitCode],
        [true, null],
        'the job after a pause that kept the disk alone',
      );
  },
};

export const pause = scenarios('pause', [
  {
    id: 'L6.disk',
    title: 'a paused sandbox keeps its files, resumes by itself on the next command, and the result’s time shows it',
    needs: needsPause,
    own: true,
    deadlineMs: 120_000,
    async run(context) {
      const { sandbox } = context;
      const file = context.marker();
      await sandbox.files.write(file, 'kept');
      await sandbox.pause();
      equal((await listed(context, sandbox.name))?.state === 'running', false, 'whether the list says running');
      const started = performance.now();
      const result = await sandbox.exec(`cat ${file} && rm ${file}`);
      const wallMs = performance.now() - started;
      printed(result, 'kept');
      ensure(
        result.durationMs > wallMs - 200,
        `the duration should hold the resume: about ${Math.round(wallMs)} ms, observed ${Math.round(result.durationMs)} ms`,
      );
      equal((await listed(context, sandbox.name))?.state, 'running', 'the state after the command');
    },
  },
  {
    id: 'L6.idempotent',
    title: 'pause and resume may be called twice, and every use of a paused sandbox resumes it',
    needs: needsPause,
    own: true,
    deadlineMs: 180_000,
    async run(context) {
      const { sandbox } = context;
      const file = context.marker();
      await sandbox.pause();
      await sandbox.pause();
      await sandbox.resume();
      await sandbox.resume();
      printed(await sandbox.exec('echo one'), 'one\n');
      await sandbox.pause();
      await sandbox.files.write(file, 'two');
      await sandbox.pause();
      equal(await sandbox.files.readText(file), 'two', 'a file read from a paused sandbox');
      await sandbox.files.remove(file);
      await sandbox.pause();
      exited(await sandbox.shell('after').exec('exit 3'), 3);
    },
  },
  {
    id: 'L6.memory',
    title: 'a job stands still in a paused sandbox and goes on from where it was',
    needs: needsMemory,
    own: true,
    deadlineMs: 120_000,
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const { id } = await start(`${nap}; i=0; while [ $i -lt 600 ]; do i=$((i+1)); echo $i; nap; done`);
        const count = async () =>
          Buffer.from((await jobs.output(id)).bytes)
            .toString()
            .split('\n').length - 1;
        await context.eventually('the first lines', async () => (await count()) >= 2);
        const looked = performance.now();
        const before = await count();
        await context.sandbox.pause();
        const stopped = performance.now();
        await delay(2000);
        const woken = performance.now();
        await context.sandbox.resume();
        const after = await count();
        const runningMs = stopped - looked + performance.now() - woken;
        const possible = Math.ceil(runningMs / 200) + 2;
        ensure(after - before <= possible, `${possible} lines at most were possible without the pause, observed ${after - before}`);
        await context.eventually('a line after the pause', async () => (await count()) > after);
        const lines = Buffer.from((await jobs.output(id)).bytes)
          .toString()
          .trimEnd()
          .split('\n');
        equal(
          lines,
          lines.map((_, i) => String(i + 1)),
          'the lines, one after the other',
        );
        equal((await within(5000, 'the state of the job', jobs.get(id))).value.state, 'running', 'the state');
      }),
  },
]);
