import type { Jobs } from '../../sandbox/types.js';
import { withJobs } from '../borrow.js';
import { ensure, equal, fail, rejects, sameBytes, within } from '../expect.js';
import { scenarios } from '../scenario.js';
import { asleep, held, nap } from '../shell-text.js';

const unknownId = 'there-is-no-such-job';

export const jobs = scenarios('jobs', [
  {
    id: 'J1.start',
    title: 'start returns at once with an id, the job runs on, and get and list know it',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const marker = context.marker();
        const { value } = await within(5000, 'the start of a job', start(asleep(marker)));
        equal([value.state, value.exitCode, value.signal, value.endedAt], ['running', null, null, undefined], 'a job just started');
        ensure(
          value.id.length > 0 && Math.abs(value.startedAt.getTime() - Date.now()) < 60_000,
          `id and start should be set, observed ${JSON.stringify(value)}`,
        );
        await context.alive(marker);
        const listed = (await jobs.list()).find((job) => job.id === value.id);
        equal([listed?.state, listed?.command], ['running', asleep(marker)], 'the job in the list');
        equal((await jobs.get(value.id)).state, 'running', 'the state by id');
      }),
  },
  {
    id: 'J1.wait',
    title: 'wait gives the exit code, or the running state when its time has passed, and can be aborted',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const directory = await context.directory();
        const { id } = await start(`${held(`${directory}/go`)}; exit 7`);
        equal((await within(4000, 'a wait of 300 ms', jobs.wait(id, { timeoutMs: 300 }))).value.state, 'running', 'the state after 300 ms');
        await rejects(jobs.wait(id, { signal: AbortSignal.abort() }), 'aborted', 'a wait that was aborted');
        const abort = new AbortController();
        const aborted = rejects(jobs.wait(id, { signal: abort.signal }), 'aborted', 'a wait that is aborted while it waits');
        abort.abort();
        await within(4000, 'an aborted wait', aborted);
        equal((await jobs.get(id)).state, 'running', 'the state after the aborted wait');
        await context.sandbox.files.write(`${directory}/go`, '');
        const end = await jobs.wait(id);
        equal([end.state, end.exitCode, end.signal], ['exited', 7, null], 'the end');
        // A place may know whole seconds only.
        const lastedMs = (end.endedAt?.getTime() ?? 0) - end.startedAt.getTime();
        ensure(lastedMs > -1000, `the end should not be before the start, observed ${JSON.stringify(end)}`);
      }),
  },
  {
    id: 'J1.output',
    title: 'output is read by byte offset, in pieces of any size, exactly, each stream apart',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const { id } = await start(`printf 'a\\000b\\377\\r\\n\\303'; ${nap}; nap; printf '\\251end'; printf error >&2`);
        await jobs.wait(id);
        const expected = Buffer.from('610062ff0d0ac3a9656e64', 'hex');
        const whole = await jobs.output(id);
        sameBytes(whole.bytes, expected, 'the whole of stdout');
        equal(
          [whole.stream, whole.from, whole.next, whole.droppedBytes, whole.end],
          ['stdout', 0, expected.length, 0, true],
          'its offsets',
        );
        sameBytes(Buffer.concat(await pieces(jobs, id, 3)), expected, 'stdout read 3 bytes at a time');
        const middle = await jobs.output(id, { from: 4, maxBytes: 2 });
        sameBytes(middle.bytes, expected.subarray(4, 6), 'two bytes from 4');
        equal([middle.from, middle.next, middle.end], [4, 6, false], 'their offsets');
        equal(Buffer.from((await jobs.output(id, { stream: 'stderr' })).bytes).toString(), 'error', 'stderr');
        const past = await jobs.output(id, { from: expected.length });
        equal([past.bytes.length, past.next, past.end], [0, expected.length, true], 'what follows the end');
      }),
  },
  {
    id: 'J1.output-while-running',
    title: 'output of a running job can be read as it appears, and its end is not said too early',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const directory = await context.directory();
        const { id } = await start(`printf first; ${held(`${directory}/go`)}; printf second`);
        const first = await context.eventually('the first output', async () => {
          const output = await jobs.output(id);
          return output.bytes.length === 5 && output;
        });
        equal([first.next, first.end], [5, false], 'offset and end while the job runs');
        equal((await jobs.output(id, { from: first.next })).bytes.length, 0, 'bytes that are not there yet');
        await context.sandbox.files.write(`${directory}/go`, '');
        await jobs.wait(id);
        const rest = await jobs.output(id, { from: first.next });
        equal([Buffer.from(rest.bytes).toString(), rest.end], ['second', true], 'the rest');
      }),
  },
  {
    id: 'J1.kill',
    title: 'kill ends the whole tree of a job, also when it ignores TERM, and the end says how',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const marker = context.marker();
        const job = await start(
          `set -- ${asleep(marker)}; if command -v setsid >/dev/null; then setsid "$@" & fi; "$@" & (trap '' TERM; exec "$@")`,
          { graceMs: 500 },
        );
        await context.alive(marker);
        await jobs.kill(job.id);
        const { value } = await within(10_000, 'the end of a killed job', jobs.wait(job.id));
        equal([value.state, value.exitCode], ['signaled', null], 'the end');
        ensure(
          value.signal === 'SIGTERM' || value.signal === 'SIGKILL',
          `the signal should be SIGTERM or SIGKILL, observed ${value.signal}`,
        );
        await context.gone(marker, 5000);
      }),
  },
  {
    id: 'J1.signal',
    title: 'another signal reaches the job and does not end what handles it',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const { id } = await start(`${nap}; trap 'echo got; exit 4' USR1; echo ready; while :; do nap; done`);
        await context.eventually('the job’s readiness', async () => (await jobs.output(id)).bytes.length > 0);
        await jobs.kill(id, 'SIGUSR1');
        const end = (await within(8000, 'the end after SIGUSR1', jobs.wait(id))).value;
        equal([end.state, end.exitCode], ['exited', 4], 'the end');
        equal(Buffer.from((await jobs.output(id)).bytes).toString(), 'ready\ngot\n', 'the output');
      }),
  },
  {
    id: 'J1.options',
    title: 'a job starts in its cwd with its variables, reads an end of file, and its text is unchanged',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const directory = await context.directory();
        const text = `cat\nprintf '%s|%s|' "$PWD" "$VALUE"\ncat <<'END' # comment\n"it's" $(echo no)\nEND\n: '${'x'.repeat(200_000)}'`;
        const { id, command } = await start(text, { cwd: directory, env: { VALUE: 'a\n"b" $(echo no)' } });
        equal(command.slice(0, 40), text.slice(0, 40), 'the start of the recorded command');
        equal((await within(8000, 'a job that reads its stdin', jobs.wait(id))).value.exitCode, 0, 'the exit code');
        equal(Buffer.from((await jobs.output(id)).bytes).toString(), `${directory}|a\n"b" $(echo no)|"it's" $(echo no)\n`, 'stdout');
        await rejects(start('echo no', { cwd: `${directory}/missing` }), 'cwd-not-found', 'a job in a missing directory');
      }),
  },
  {
    id: 'J1.timeout',
    title: 'a job’s timeout is enforced in the place and ends its tree',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const marker = context.marker();
        const { id } = await start(`trap '' TERM; echo part; ${asleep(marker)} & ${asleep(marker)}`, { timeoutMs: 1000, graceMs: 500 });
        const end = (await within(8000, 'the end of a job with a timeout', jobs.wait(id))).value;
        equal([end.state, end.exitCode], ['timed-out', null], 'the end');
        await context.gone(marker, 3000);
        equal(Buffer.from((await jobs.output(id)).bytes).toString(), 'part\n', 'the partial output');
      }),
  },
  {
    id: 'J1.background-child',
    title: 'a job is over when its command is, even if a background child of it lives on',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const marker = context.marker();
        const { id } = await start(`${asleep(marker)} & echo front; exit 3`);
        const end = (await within(5000, 'the end of a job with a background child', jobs.wait(id))).value;
        equal([end.state, end.exitCode], ['exited', 3], 'the end');
        await context.alive(marker);
        equal(Buffer.from((await jobs.output(id)).bytes).toString(), 'front\n', 'stdout');
      }),
  },
  {
    id: 'J1.unknown',
    title: 'an id that no job has is a typed error, whatever characters it holds',
    async run({ sandbox: { jobs } }) {
      for (const id of [unknownId, '../../etc', '.', '', 'a b', '*', '-rf', '$(id)', 'a\nb']) {
        const what = `the id ${JSON.stringify(id)}`;
        for (const use of [
          () => jobs.get(id),
          () => jobs.output(id),
          () => jobs.wait(id),
          () => jobs.kill(id),
          () => jobs.remove(id),
          () => jobs.write(id, 'x'),
          () => jobs.closeInput(id),
        ]) {
          await rejects(use(), ['job-not-found', 'invalid-request'], what);
        }
      }
      await rejects(jobs.get(unknownId), 'job-not-found', 'a well-formed id that no job has');
    },
  },
  {
    id: 'J1.remove',
    title: 'a finished job can be removed and is unknown afterwards; a running one cannot',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const finished = await start('echo done');
        const running = await start(asleep(context.marker()));
        await jobs.wait(finished.id);
        await jobs.remove(finished.id);
        await rejects(jobs.get(finished.id), 'job-not-found', 'a removed job');
        ensure(!(await jobs.list()).some((job) => job.id === finished.id), 'a removed job should not be listed');
        await rejects(jobs.remove(running.id), 'invalid-request', 'removing a running job');
        equal((await jobs.get(running.id)).state, 'running', 'the state of the running job');
      }),
  },
  {
    id: 'J1.many',
    title: 'twenty jobs run at once and do not mix',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const started = await Promise.all(Array.from({ length: 20 }, (_, i) => start(`${nap}; nap; echo ${i}; echo ${i} >&2; exit ${i}`)));
        equal(new Set(started.map((job) => job.id)).size, 20, 'different ids');
        const ends = await Promise.all(started.map((job) => jobs.wait(job.id)));
        equal(
          ends.map((job) => job.exitCode),
          Array.from({ length: 20 }, (_, i) => i),
          'the exit codes',
        );
        for (const [i, job] of started.entries()) {
          equal(Buffer.from((await jobs.output(job.id)).bytes).toString(), `${i}\n`, `stdout of job ${i}`);
        }
      }),
  },
  {
    id: 'J3.exit-status',
    title: 'the exit status is kept in the sandbox and is the same each time it is asked for',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const { id } = await start('exit 9');
        await jobs.wait(id);
        for (const info of [await jobs.get(id), await jobs.wait(id), (await jobs.list()).find((job) => job.id === id)]) {
          equal([info?.state, info?.exitCode, info?.signal], ['exited', 9, null], 'the end');
        }
      }),
  },
  {
    id: 'J3.signal',
    title: 'a job that a signal ended says which one, without an exit code made up for it',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const { id } = await start('kill -KILL $$');
        const end = (await within(8000, 'the end of a job that killed itself', jobs.wait(id))).value;
        equal([end.state, end.exitCode, end.signal], ['signaled', null, 'SIGKILL'], 'the end');
      }),
  },
  {
    id: 'J3.kill-finished',
    title: 'killing a finished job changes nothing and says how it had ended',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const { id } = await start('exit 5');
        const end = await jobs.wait(id);
        equal(await jobs.kill(id), end, 'what kill says');
        equal(await jobs.get(id), end, 'what get says afterwards');
      }),
  },
  {
    id: 'J3.supervisor-killed',
    title: 'a job whose processes were all killed, those of Petasos included, is over and has no exit code made up for it',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const marker = context.marker();
        const { id } = await start(`echo ready; ${asleep(marker)}; exit 0`, { env: { MARK: marker } });
        await context.eventually('the job’s readiness', async () => (await jobs.output(id)).bytes.length > 0);
        const pids = new Set((await context.survivors(marker)).map((one) => one.pid));
        await context.sandbox.exec(`kill -KILL ${[...pids].join(' ')}`);
        const end = (await within(10_000, 'the end of a job whose processes were killed', jobs.wait(id))).value;
        ensure(end.state === 'signaled' || end.state === 'lost', `the state should be signaled or lost, observed ${end.state}`);
        equal(end.exitCode, null, 'the exit code');
      }),
  },
  {
    id: 'J4.cap',
    title: 'output beyond the cap drops the oldest bytes and says so; the job is not disturbed',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const cap = 64 * 1024;
        const { id } = await start('i=0; while [ $i -lt 8000 ]; do echo "line $i of the output"; i=$((i+1)); done; exit 6', {
          maxOutputBytes: cap,
        });
        equal((await within(15_000, 'a job that writes more than its cap', jobs.wait(id))).value.exitCode, 6, 'the exit code');
        const written = Buffer.from(Array.from({ length: 8000 }, (_, i) => `line ${i} of the output\n`).join(''));
        const first = await jobs.output(id, { from: 0, maxBytes: 1024 });
        ensure(first.from > 0, 'the first offset should be past 0: something must have been dropped');
        equal(first.droppedBytes, first.from, 'droppedBytes');
        ensure(written.length - first.from <= cap, `at most ${cap} bytes should be kept, observed ${written.length - first.from}`);
        const kept = Buffer.concat(await pieces(jobs, id, 10_000, first.from));
        ensure(kept.length > 0, 'the newest output should be kept');
        sameBytes(kept, written.subarray(first.from), 'what was kept');
        equal((await jobs.output(id, { from: written.length })).droppedBytes, 0, 'droppedBytes of a reader that missed nothing');
      }),
  },
  {
    id: 'J5.stdin',
    title: 'a running job takes stdin byte for byte until it is closed',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const { id } = await start('cat; echo end', { stdin: 'open' });
        await jobs.write(id, 'first\n');
        await context.eventually('the first line back', async () => Buffer.from((await jobs.output(id)).bytes).toString() === 'first\n');
        const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
        await jobs.write(id, bytes);
        await jobs.closeInput(id);
        equal((await within(8000, 'a job whose stdin was closed', jobs.wait(id))).value.exitCode, 0, 'the exit code');
        sameBytes((await jobs.output(id)).bytes, Buffer.concat([Buffer.from('first\n'), bytes, Buffer.from('end\n')]), 'stdout');
      }),
  },
  {
    id: 'J5.interpreter',
    title: 'an interpreter that runs as a job answers line by line',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const { id } = await start('exec sh', { stdin: 'open' });
        await jobs.write(id, 'N=6\necho first\n');
        await context.eventually('the first answer', async () => (await jobs.output(id)).next === 6);
        await jobs.write(id, 'echo $((N * 7))\nexit 8\n');
        equal((await within(8000, 'an interpreter told to exit', jobs.wait(id))).value.exitCode, 8, 'the exit code');
        equal(Buffer.from((await jobs.output(id)).bytes).toString(), 'first\n42\n', 'stdout');
      }),
  },
  {
    id: 'J5.closed',
    title: 'writing to a job that takes no input any more is a typed error',
    run: (context) =>
      withJobs(context, async (start, jobs) => {
        const without = await start(asleep(context.marker()));
        await rejects(jobs.write(without.id, 'x'), 'job-input-closed', 'writing to a job without stdin');
        const closed = await start(`cat >/dev/null; ${asleep(context.marker())}`, { stdin: 'open' });
        await jobs.closeInput(closed.id);
        await rejects(jobs.write(closed.id, 'x'), 'job-input-closed', 'writing after closeInput');
        const finished = await start('exit 0', { stdin: 'open' });
        await jobs.wait(finished.id);
        await rejects(jobs.write(finished.id, 'x'), 'job-input-closed', 'writing to a finished job');
      }),
  },
]);

/** Reads a finished job's stdout to its end, `size` bytes at a time. */
async function pieces(jobs: Jobs, id: string, size: number, from = 0): Promise<Uint8Array[]> {
  const read: Uint8Array[] = [];
  for (let next = from; ; ) {
    const piece = await jobs.output(id, { from: next, maxBytes: size });
    equal([piece.from, piece.next], [next, next + piece.bytes.length], 'the offsets of a piece');
    ensure(piece.bytes.length <= size, `at most ${size} bytes were asked for, observed ${piece.bytes.length}`);
    read.push(piece.bytes);
    if (piece.end) return read;
    if (piece.bytes.length === 0) fail(`output ended at ${next} without saying so`);
    next = piece.next;
  }
}
