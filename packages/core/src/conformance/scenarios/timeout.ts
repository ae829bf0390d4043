import { rm } from 'node:fs/promises';
import { ended, ensure, equal, exited, printed, within } from '../expect.js';
import { type Context, scenarios } from '../scenario.js';
import { apart, lasting, mark, nap, stubborn } from '../shell-text.js';

const timeoutMs = 300;
const graceMs = 300;
/** The contract's own bound on top of timeout and grace. */
const slackMs = 500;

/** Has the place ready for the next command: where it takes longer to begin than the timeout there would be nothing to end. */
async function ready(context: Context): Promise<void> {
  exited(await context.sandbox.exec(':'));
}

/** Lets the command run into its timeout and demands that nothing of it is left. */
async function timesOut(context: Context, command: string, marker: string) {
  await ready(context);
  const work = context.sandbox.exec(`${mark(marker)}; ${command}`, { timeoutMs, graceMs });
  const { value, ms } = await within(timeoutMs + graceMs + slackMs, 'the return after timeout and grace', work);
  ended(value, 'timed-out');
  ensure(ms >= timeoutMs - 5, `a timeout of ${timeoutMs} ms should not end a command after ${Math.round(ms)} ms`);
  await context.gone(marker, 300);
  return value;
}

/** Keeps this process from doing anything, its timers included. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

export const timeout = scenarios('timeout', [
  {
    id: 'E5.returns',
    title: 'a command that takes too long is ended, says so, and gives what it wrote',
    async run(context) {
      const result = await timesOut(context, 'echo part; echo problem >&2; sleep 60', context.marker());
      equal([result.stdout, result.stderr], ['part\n', 'problem\n'], 'the partial output');
      ensure(result.exitCode !== 124, 'a timeout should not be told by exit code 124');
      printed(await context.sandbox.exec('echo next'), 'next\n');
    },
  },
  {
    id: 'E5.partial-output',
    title: 'all that was written before the timeout is there, the last line included',
    async run(context) {
      const command = `head -c 200000 /dev/zero | tr '\\0' x; printf 'the last line'; sleep 60`;
      const result = await timesOut(context, command, context.marker());
      equal(result.output.stdout.totalBytes, 200_013, 'bytes written');
      ensure(result.stdout.endsWith('xthe last line'), `the output should end with the last line, observed ${result.stdout.slice(-20)}`);
    },
  },
  {
    id: 'E5.term-first',
    title: 'the tree gets TERM and time to clean up before KILL',
    async run(context) {
      const marker = context.marker();
      await ready(context);
      const command = `${nap}; ${mark(marker)}; trap 'nap; echo cleaned; exit 0' TERM; echo ready; while :; do sleep 60 & wait $!; done`;
      const work = context.sandbox.exec(command, { timeoutMs, graceMs: 5000 });
      const { value } = await within(timeoutMs + 1500, 'the return of a command that obeys TERM', work);
      ended(value, 'timed-out');
      equal(value.stdout, 'ready\ncleaned\n', 'stdout');
      await context.gone(marker, 300);
    },
  },
  {
    id: 'E5.default-grace',
    title: 'without a grace of the caller KILL comes 2 s after TERM',
    async run(context) {
      const marker = context.marker();
      await ready(context);
      const work = context.sandbox.exec(`trap '' TERM; ${stubborn(marker)}`, { timeoutMs });
      const { value, ms } = await within(timeoutMs + 2000 + slackMs, 'the return after the default grace', work);
      ended(value, 'timed-out');
      ensure(ms >= timeoutMs + 1900, `a child deaf to TERM should get 2 s, it got ${Math.round(ms - timeoutMs)} ms`);
      await context.gone(marker, 300);
    },
  },
  {
    id: 'E5.ignores-term',
    title: 'a tree that ignores TERM is gone',
    async run(context) {
      const marker = context.marker();
      await timesOut(context, `trap '' TERM; ${stubborn(marker)} & ${stubborn(marker)}`, marker);
    },
  },
  {
    id: 'E5.child',
    title: 'children and grandchildren are gone, not only the leader',
    async run(context) {
      const marker = context.marker();
      await timesOut(
        context,
        `(${lasting(marker)} & ${lasting(marker)} & wait) & (sh -c 'sh -c "sleep 60; :" & wait' & wait); wait`,
        marker,
      );
    },
  },
  {
    id: 'E5.setsid-child',
    title: 'a child in a session of its own is gone: trap on TERM, setsid, and a sleeping leader',
    async run(context) {
      const marker = context.marker();
      await timesOut(context, `${apart}; trap '' TERM; apart ${stubborn(marker)} & apart ${lasting(marker)} & sleep 60`, marker);
    },
  },
  {
    id: 'E5.double-fork',
    title: 'a child that double-forked away from its parent is gone',
    async run(context) {
      const marker = context.marker();
      await timesOut(
        context,
        `${apart}; (${stubborn(marker)} & ) ; (apart ${stubborn(marker)} & ) ; ( (apart ${lasting(marker)} &) & ); sleep 60`,
        marker,
      );
    },
  },
  {
    id: 'E5.cleared-environment',
    title: 'a child with an empty environment is gone',
    async run(context) {
      const marker = context.marker();
      await timesOut(
        context,
        `${apart}; env -i PATH="$PATH" ${lasting(marker)} & apart env -i PATH="$PATH" ${lasting(marker)} & wait`,
        marker,
      );
    },
  },
  {
    id: 'E5.closed-streams',
    title: 'a command that closed its streams is ended all the same',
    async run(context) {
      const marker = context.marker();
      await timesOut(context, `exec </dev/null >/dev/null 2>&1; ${lasting(marker)}`, marker);
    },
  },
  {
    id: 'E5.full-output',
    title: 'a command that writes without end is ended',
    async run(context) {
      const result = await timesOut(context, 'while :; do echo "a line without end"; done', context.marker());
      ensure(result.output.stdout.totalBytes > 1000, `output should be kept, observed ${result.output.stdout.totalBytes} bytes`);
      // A fast shell writes more than is kept in memory.
      const { spillPath } = result.output.stdout;
      if (spillPath !== undefined) await rm(spillPath, { force: true });
    },
  },
  {
    id: 'E5.idle',
    title: 'a command that writes nothing for too long is ended',
    async run(context) {
      const marker = context.marker();
      await ready(context);
      const work = context.sandbox.exec(`${mark(marker)}; echo part; ${lasting(marker)}`, { idleTimeoutMs: timeoutMs, graceMs });
      const { value } = await within(timeoutMs + graceMs + slackMs, 'the return after the idle timeout', work);
      ended(value, 'idle-timed-out');
      equal(value.stdout, 'part\n', 'the partial output');
      await context.gone(marker, 300);
    },
  },
  {
    id: 'E5.idle-restarts',
    title: 'output on either stream starts the idle time anew',
    async run({ sandbox }) {
      const short = (await sandbox.exec('sleep 0.1')).exitCode === 0;
      const [pause, idleTimeoutMs] = short ? ['0.3', 600] : ['1', 1900];
      const command = `for i in 1 2; do sleep ${pause}; echo $i; sleep ${pause}; echo $i >&2; done`;
      printed(await sandbox.exec(command, { idleTimeoutMs }), '1\n2\n', '1\n2\n');
    },
  },
  {
    id: 'E5.where-it-runs',
    title: 'the timeout holds where the command runs, even while the client does nothing at all',
    async run(context) {
      const directory = await context.directory();
      const marker = context.marker();
      let started = false;
      const running = context.sandbox.exec(`${mark(marker)}; echo started; sleep 2; : > ${directory}/survived`, {
        timeoutMs: 700,
        graceMs,
        onStdout: () => {
          started = true;
        },
      });
      await context.eventually('the start of the command', () => started);
      freeze(2300);
      ended((await within(3000, 'the return', running)).value, 'timed-out');
      exited(await context.sandbox.exec(`test -e ${directory}/survived`), 1);
      await context.gone(marker, 300);
    },
  },
  {
    id: 'E5.in-time',
    title: 'a command that ends in time is left alone, and nothing goes on waiting for its timeout',
    async run(context) {
      const marker = context.marker();
      exited(await context.sandbox.exec(`${mark(marker)}; exit 3`, { timeoutMs: 60_000, idleTimeoutMs: 50_000 }), 3);
      await context.gone(marker, 300);
    },
  },
  {
    id: 'E5.others-live',
    title: 'the timeout of one command ends neither another command nor an earlier one’s background child',
    async run(context) {
      const { sandbox } = context;
      const [child, other] = [context.marker(), context.marker()];
      exited(await sandbox.exec(`${lasting(child)} >/dev/null 2>&1 &`));
      const controller = new AbortController();
      const running = sandbox.exec(lasting(other), { signal: controller.signal, graceMs });
      await context.alive(other);
      await timesOut(context, 'sleep 60', context.marker());
      await context.alive(child, 300);
      await context.alive(other, 300);
      controller.abort();
      await running;
      await context.end(child);
    },
  },
  {
    id: 'E5.far',
    title: 'a timeout, an idle timeout and a grace of months and more are no shorter than they say',
    async run(context) {
      const { sandbox } = context;
      for (const far of [2 ** 31, Number.MAX_SAFE_INTEGER]) {
        const limits = { timeoutMs: far, idleTimeoutMs: far, graceMs: far };
        printed(await sandbox.exec(`${nap}; nap; nap; echo done`, limits), 'done\n');
        const job = await sandbox.jobs.start(`${nap}; nap; nap; exit 3`, { timeoutMs: far, graceMs: far });
        const { state, exitCode } = await sandbox.jobs.wait(job.id, { timeoutMs: far });
        equal([state, exitCode], ['exited', 3], 'the end of a job');
      }
      const aborted = new AbortController();
      const command = `${nap}; trap 'nap; nap; echo cleaned; exit 0' TERM; echo ready; while :; do nap; done`;
      const work = sandbox.exec(command, { signal: aborted.signal, graceMs: 2 ** 31, onStdout: () => aborted.abort() });
      const { value } = await within(8000, 'the end of a command that obeys TERM', work);
      equal([value.ended, value.stdout], ['aborted', 'ready\ncleaned\n'], 'the end of a command with a grace of months');
    },
  },
  {
    id: 'E5.spawn',
    title: 'a spawned process has timeouts, too',
    async run(context) {
      const marker = context.marker();
      await ready(context);
      const process = await context.sandbox.spawn(`${mark(marker)}; echo part; ${stubborn(marker)}`, { timeoutMs, graceMs });
      process.stderr.resume();
      const output = process.stdout.toArray();
      const { value } = await within(timeoutMs + graceMs + slackMs, 'the end of a spawned process', process.exited);
      ended(value, 'timed-out');
      equal(Buffer.concat(await output).toString(), 'part\n', 'stdout');
      await context.gone(marker, 300);
    },
  },
]);
