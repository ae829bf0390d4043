import { isPetasosError } from '../../contract/index.js';
import type { ExecOptions, ExecResult, Sandbox } from '../../sandbox/types.js';
import { consume } from '../consume.js';
import { ensure, equal, exited, fail, printed, rejects, within } from '../expect.js';
import { type Context, scenarios } from '../scenario.js';
import { asleep } from '../shell-text.js';
import type { Faults, Subject } from '../subject.js';

/** The hook of the subject; the scenario that uses it must list it. */
function fault<K extends keyof Faults>(subject: Subject, hook: K): NonNullable<Faults[K]> {
  return subject.faults?.[hook] ?? fail(`the scenario uses the hook ${hook} and does not list it`);
}

/** Works again, or says in time that it does not. A command never hangs and never fails without a reason. */
async function worksOrSays(sandbox: Sandbox): Promise<void> {
  const next = sandbox.exec('echo again').then(
    (result) =>
      result.ended === 'disconnected'
        ? equal(result.exitCode, null, 'the exit code of a disconnected command')
        : printed(result, 'again\n'),
    (error: unknown) => rejects(Promise.reject(error), 'disconnected', 'a command after the connection was cut'),
  );
  await within(10_000, 'a command after the connection was cut', next);
}

/** What a command writes once it runs: until it is seen, a fault would come before the start. */
function firstOutput(context: Context): { onStdout(): void; seen(): Promise<unknown> } {
  let ready = false;
  return {
    onStdout() {
      ready = true;
    },
    seen: () => context.eventually('the first output', () => ready),
  };
}

export const disconnect = scenarios('disconnect', [
  {
    id: 'L3.cut',
    title: 'a command whose connection is cut ends disconnected within 5 s, with its partial output and no exit code made up for it',
    hooks: ['cutConnection'],
    own: true,
    async run(context) {
      const { sandbox, subject } = context;
      const marker = context.marker();
      let seen = '';
      const running = sandbox.exec(`echo part; ${asleep(marker)}; exit 0`, {
        onStdout: (chunk) => {
          seen += Buffer.from(chunk).toString();
        },
      });
      running.catch(() => {});
      await context.eventually('the first output', () => seen === 'part\n');
      await fault(subject, 'cutConnection')(sandbox);
      const { value } = await within(5000, 'a command whose connection was cut', running);
      equal(
        [value.ended, value.exitCode, value.signal, value.stdout],
        ['disconnected', null, null, 'part\n'],
        'end, exit code, signal and partial output',
      );
      await worksOrSays(sandbox);
    },
  },
  {
    id: 'E5.cut',
    title: 'a lost connection leaves no foreground process behind, and jobs run on',
    hooks: ['cutConnection'],
    async run(context) {
      const name = context.name();
      const sandbox = await context.open({ name });
      const [foreground, job] = [context.marker(), context.marker()];
      await sandbox.jobs.start(asleep(job));
      const running = sandbox.exec(asleep(foreground));
      running.catch(() => {});
      await context.alive(foreground, 5000, sandbox);
      await fault(context.subject, 'cutConnection')(sandbox);
      await within(5000, 'a command whose connection was cut', running);
      const next = await context.open({ name });
      await context.gone(foreground, 5000, next);
      await context.alive(job, 1000, next);
    },
  },
  {
    id: 'L3.cut-concurrent',
    title: 'every command of a cut connection ends, spawned processes, sessions and waits for jobs included',
    hooks: ['cutConnection'],
    own: true,
    async run({ sandbox, subject, eventually }) {
      const job = await sandbox.jobs.start('sleep 2; exit 3');
      let ready = 0;
      const onStdout = () => {
        ready++;
      };
      const process = await sandbox.spawn('echo ready; sleep 96');
      process.stdout.on('data', onStdout);
      process.stderr.resume();
      const shell = sandbox
        .shell('cut')
        .exec('echo ready; sleep 96', { onStdout })
        .catch(() => undefined);
      const commands = Array.from({ length: 5 }, () => sandbox.exec('echo ready; sleep 96', { onStdout }));
      for (const command of commands) command.catch(() => {});
      await eventually('seven commands that run', () => ready === 7, 10_000);
      await fault(subject, 'cutConnection')(sandbox);
      const ends = (await within(5000, 'commands of a cut connection', Promise.all([process.exited, ...commands]))).value;
      for (const end of ends) equal([end.ended, end.exitCode], ['disconnected', null], 'the end of a command');
      await within(5000, 'a session’s command of a cut connection', shell);
      const waited = sandbox.jobs.wait(job.id).then(
        (info) => equal(info.exitCode, 3, 'the exit code of the job'),
        (error: unknown) => rejects(Promise.reject(error), 'disconnected', 'a wait after the cut'),
      );
      await within(15_000, 'a wait for a job after the cut', waited);
    },
  },
  {
    id: 'F3.cut',
    title: 'a file that is being read when the connection is cut ends in an error and never looks complete',
    hooks: ['cutConnection'],
    own: true,
    deadlineMs: 60_000,
    async run(context) {
      const { sandbox, subject } = context;
      const file = context.marker();
      exited(await sandbox.exec(`dd if=/dev/zero of=${file} bs=1048576 count=16 2>/dev/null`));
      try {
        const stream = await sandbox.files.readStream(file);
        let cut = false;
        const reading = (async () => {
          let bytes = 0;
          for await (const chunk of stream) {
            bytes += (chunk as Uint8Array).length;
            if (!cut) await fault(subject, 'cutConnection')(sandbox);
            cut = true;
          }
          return bytes;
        })();
        const outcome = reading.then(
          (bytes) => equal(bytes, 16 * 1024 * 1024, 'bytes of a stream that ended without an error'),
          () => undefined,
        );
        await within(30_000, 'a stream whose connection was cut', outcome);
      } finally {
        await sandbox.files.remove(file).catch(() => undefined);
      }
    },
  },
  {
    id: 'L3.place-killed',
    title: 'a command whose place dies ends disconnected or destroyed within 5 s, and every use after that is such an error',
    hooks: ['killPlace'],
    own: true,
    async run(context) {
      const { sandbox } = context;
      const process = await sandbox.spawn('sleep 97');
      process.stderr.resume();
      const text = consume(process.stdout).catch(() => undefined);
      const first = firstOutput(context);
      const running = sandbox.exec('echo ready; sleep 97', {
        onStdout: first.onStdout,
      });
      running.catch(() => {});
      await first.seen();
      await fault(context.subject, 'killPlace')(sandbox);
      for (const end of (await within(5000, 'commands whose place died', Promise.all([running, process.exited]))).value) {
        ensure(
          end.ended === 'disconnected' || end.ended === 'destroyed',
          `it should have ended disconnected or destroyed, observed ${end.ended}`,
        );
        equal(end.exitCode, null, 'the exit code');
      }
      await within(5000, 'the stream of a process whose place died', text);
      for (const [what, use] of [
        ['exec', () => sandbox.exec('echo no')],
        ['files.read', () => sandbox.files.read('/etc/passwd')],
        ['jobs.list', () => sandbox.jobs.list()],
      ] as const) {
        const refused = rejects(use(), ['destroyed', 'disconnected', 'sandbox-not-found'], `${what} after the place died`);
        await within(5000, what, refused);
      }
      await within(10_000, 'destroying what is dead', sandbox.destroy());
    },
  },
  {
    id: 'L3.place-frozen',
    title: 'a timeout holds although the place does not answer, and the place works on once it does',
    hooks: ['pausePlace'],
    own: true,
    async run(context) {
      const { sandbox } = context;
      const first = firstOutput(context);
      const running = sandbox.exec('echo ready; sleep 3; exit 0', {
        timeoutMs: 1500,
        graceMs: 500,
        onStdout: first.onStdout,
      });
      running.catch(() => {});
      await first.seen();
      const release = await fault(context.subject, 'pausePlace')(sandbox);
      try {
        const { value } = await within(8000, 'a command with a timeout in a frozen place', running);
        ensure(
          value.ended === 'timed-out' || value.ended === 'disconnected',
          `it should have timed out or be disconnected, observed ${value.ended}`,
        );
        equal(value.exitCode, null, 'the exit code');
      } finally {
        await release();
      }
      await worksOrSays(sandbox);
    },
  },
  {
    id: 'L3.frozen-starts',
    title:
      'commands that a place which does not answer cannot start end with their timeout, or when they are aborted, and the place works on',
    hooks: ['pausePlace'],
    own: true,
    async run(context) {
      exited(await context.sandbox.exec(':'));
      await startsWhileFrozen(context, context.sandbox);
    },
  },
  {
    id: 'L3.frozen-first',
    title: 'the same holds for the very first commands in a sandbox, and the first in a session',
    hooks: ['pausePlace'],
    async run(context) {
      await startsWhileFrozen(context, await context.open());
    },
  },
  {
    id: 'S3.outlived',
    title: 'a command of a session that outlives its result changes nothing for those that come after it',
    hooks: ['pausePlace'],
    own: true,
    deadlineMs: 60_000,
    async run(context) {
      const { sandbox } = context;
      const shell = sandbox.shell(context.marker());
      exited(await shell.exec('N=first'));
      const marker = context.marker();
      const abort = new AbortController();
      const first = firstOutput(context);
      const running = shell.exec(`trap 'trap "" TERM; sleep 1; exit 0' TERM; N=late; echo ready; ${asleep(marker)}`, {
        signal: abort.signal,
        graceMs: 1500,
        onStdout: first.onStdout,
      });
      running.catch(() => {});
      await first.seen();
      const release = await fault(context.subject, 'pausePlace')(sandbox);
      try {
        abort.abort();
        const { value } = await within(8000, 'an aborted command in a frozen place', running);
        ensure(value.ended !== 'exited', 'it was aborted and should not be said to have exited');
      } finally {
        await release();
      }
      await worksOrSays(sandbox);
      exited(await shell.exec('N=next'));
      // A place that notices by itself that nobody reads any more may take its time.
      await context.gone(marker, 30_000);
      printed(await shell.exec('printf %s "$N"'), 'next');
    },
  },
  {
    id: 'E10.slow-line',
    title: 'a slow connection changes no byte, no status and no order',
    hooks: ['delay'],
    own: true,
    async run({ sandbox, subject }) {
      const release = await fault(subject, 'delay')(sandbox, 100);
      try {
        const input = Buffer.alloc(
          200_000,
          Uint8Array.from({ length: 251 }, (_, i) => i),
        );
        const [copied, failed] = await Promise.all([
          sandbox.exec('cat', { stdin: input }),
          sandbox.exec('echo out; echo error >&2; exit 9'),
        ]);
        exited(copied);
        equal(Buffer.compare(copied.output.stdout.bytes, input), 0, 'whether the output is the input');
        exited(failed, 9);
        equal([failed.stdout, failed.stderr], ['out\n', 'error\n'], 'the streams');
        const shell = sandbox.shell('slow');
        exited(await shell.exec('N=1'));
        printed(await shell.exec('sleep 1 & printf %s "$N"'), '1');
        await shell.close();
      } finally {
        await release();
      }
    },
  },
]);

/** Commands with a timeout and commands that are aborted, none of which the place can start. */
async function startsWhileFrozen(context: Context, sandbox: Sandbox): Promise<void> {
  const marker = context.marker();
  const release = await fault(context.subject, 'pausePlace')(sandbox);
  try {
    const signal = AbortSignal.timeout(700);
    const session = sandbox.shell(context.marker());
    const limits: readonly ExecOptions[] = [{ timeoutMs: 700 }, { timeoutMs: 700 }, { timeoutMs: 700 }, { signal }, { signal }];
    const works = limits.map(async (limit, i) => {
      const shell = i === 0 ? session : sandbox;
      const started: Promise<ExecResult> = shell.exec(asleep(marker), { ...limit, graceMs: 300 });
      const work = started.catch(typed);
      const { value } = await within(8000, `a command with ${limit.signal ? 'an abort' : 'a timeout'} in a frozen place`, work);
      ensure(value?.ended !== 'exited', 'a command that could not start should not be said to have exited');
      equal(value?.exitCode ?? null, null, 'the exit code');
    });
    const spawned = sandbox.spawn(asleep(marker), { timeoutMs: 700, graceMs: 300 }).then(({ exited }) => exited);
    const { value } = await within(8000, 'a process with a timeout in a frozen place', spawned.catch(typed));
    equal(value?.exitCode ?? null, null, 'the exit code of a process that could not start');
    await Promise.all(works);
  } finally {
    await release();
  }
  await worksOrSays(sandbox);
  await context.gone(marker, 5000, sandbox);
}

/** What the sandbox says of it with an error of its own is said well enough. */
function typed(error: unknown): undefined {
  if (!isPetasosError(error)) throw error;
}
