import { readdir, rm } from 'node:fs/promises';
import { ended, equal, exited, fail, printed, rejects, within } from '../expect.js';
import { needsReattach } from '../requirements.js';
import { type Context, scenarios } from '../scenario.js';

/** Rounds until as much is kept for the next command as is kept usually, and as many again for growth to show. */
const rounds = 5;

/**
 * What may be held more for each further round: less than one thing that each of them leaves. A connection that is kept for the
 * next command may come late and with several files, but comes once; so where more is held, more rounds tell what it was.
 */
const slack = 0.6;

export const leaks = scenarios('leaks', [
  {
    id: 'L2.growth',
    title: 'commands of every kind and fate leave neither open files here nor files and processes in the place',
    own: true,
    deadlineMs: 90_000,
    async run(context) {
      let before: Holdings = {};
      for (let i = 0; i < rounds; i++) {
        await everyFate(context);
        before = most(before, await holdings(context));
      }
      for (let i = 1; i < rounds; i++) await everyFate(context);
      let grown: string[] = [];
      for (let done = rounds; done <= 4 * rounds; done++) {
        await everyFate(context);
        const after = await holdings(context);
        grown = Object.entries(after)
          .filter(([what, count]) => count > (before[what] ?? 0) + slack * done)
          .map(([what, count]) => `${what}: at most ${before[what] ?? 0} before, ${count} after ${done} further rounds`);
        if (grown.length === 0) return;
      }
      fail(`nothing should grow with the number of commands; ${grown.join('; ')}`);
    },
  },
  {
    id: 'L2.opens',
    title: 'sandboxes that are opened and destroyed one after the other leave no open file here',
    async run(context) {
      const round = async () => {
        const sandbox = await context.open();
        printed(await sandbox.exec('echo alive'), 'alive\n');
        await sandbox.destroy();
      };
      await round();
      const before = await openFiles();
      for (let i = 0; i < 3; i++) await round();
      await context.eventually('as many open files as before', async () => (await openFiles()) <= before + 1);
    },
  },
  {
    id: 'L2.client-exits',
    title: 'a client that has closed its sandbox exits by itself: nothing holds it',
    needs: needsReattach,
    hooks: ['spawnClient'],
    deadlineMs: 40_000,
    async run(context) {
      const name = context.name();
      await context.open({ name });
      const client = await context.client({
        name,
        steps: [
          { do: 'exec', command: 'sleep 1 & echo done' },
          { do: 'job', command: 'sleep 30' },
        ],
      });
      equal((await client.next('exec')).stdout, 'done\n', 'the output of its command');
      await client.next('job');
      await context.eventually('the exit of the client', () => client.process.exitCode !== null, 10_000);
      equal(client.process.exitCode, 0, 'its exit status');
    },
  },
]);

/** One command of each kind, each with another end. */
async function everyFate(context: Context): Promise<void> {
  const { sandbox } = context;
  const shell = sandbox.shell(context.marker());
  const abort = AbortSignal.timeout(150);
  const work = await Promise.all([
    sandbox.exec('exit 3'),
    sandbox.exec('sleep 1 & echo left a child behind'),
    sandbox.exec('sleep 60', { timeoutMs: 100, graceMs: 100 }),
    sandbox.exec('sleep 60', { signal: abort, graceMs: 100 }),
    sandbox.exec('kill -KILL $$'),
    sandbox.exec('cat', { stdin: Buffer.alloc(100_000) }),
    sandbox.exec('head -c 100000 /dev/zero', { maxOutputBytes: 1000 }),
    shell.exec('cd /; exit 2'),
  ]);
  for (const { output } of work) if (output.stdout.spillPath !== undefined) await rm(output.stdout.spillPath);
  ended(work[2], 'timed-out');
  ended(work[3], 'aborted');
  await shell.close();
  await rejects(sandbox.exec('true', { cwd: '/there/is/none' }), 'cwd-not-found', 'a missing cwd');
  const process = await sandbox.spawn('while :; do echo unread; done');
  await process.kill('SIGKILL');
  process.stdout.resume();
  process.stderr.resume();
  await within(5000, 'the end of a killed process', process.exited);
  const job = await sandbox.jobs.start('echo done');
  await sandbox.jobs.wait(job.id);
  await sandbox.jobs.remove(job.id);
  const path = `/tmp/${context.marker()}`;
  await sandbox.files.write(path, Buffer.alloc(10_000));
  await sandbox.files.read(path, { length: 10 });
  await sandbox.files.remove(path);
}

type Holdings = Readonly<Record<string, number>>;

/** What this process and the place hold for the sandbox. */
async function holdings(context: Context): Promise<Holdings> {
  const { sandbox } = context;
  const named = await sandbox.exec(
    `for d in "\${TMPDIR:-/tmp}" /tmp "\${XDG_STATE_HOME:-$HOME/.local/state}"; do find "$d" -path "*$SANDBOX*" 2>/dev/null; done | wc -l`,
    { env: { SANDBOX: sandbox.id } },
  );
  exited(named);
  return {
    'open files of this process': await openFiles(),
    'processes in the place': (await context.survivors(context.run.marker)).length,
    'files in the place': Number(named.stdout.trim()),
  };
}

/** The higher of two counts of each kind. */
function most(one: Holdings, other: Holdings): Holdings {
  return Object.fromEntries(Object.entries(other).map(([what, count]) => [what, Math.max(count, one[what] ?? 0)]));
}

/** Open files of this process; where they cannot be counted, what keeps it alive. */
async function openFiles(): Promise<number> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    return process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout').length;
  }
}
