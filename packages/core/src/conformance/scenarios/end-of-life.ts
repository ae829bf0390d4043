import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Ended, isPetasosError } from '../../contract/index.js';
import type { Sandbox } from '../../sandbox/types.js';
import { ensure, equal, exited, printed, rejects, show, within } from '../expect.js';
import { listed } from '../listing.js';
import { needsReattach } from '../requirements.js';
import { type Context, type Requirement, scenarios } from '../scenario.js';
import { asleep } from '../shell-text.js';

/** Every way to use a sandbox, by name. `file`: what is written, where that is not refused. */
function uses(sandbox: Sandbox, file = 'petasos-written-too-late'): Readonly<Record<string, () => Promise<unknown>>> {
  return {
    exec: async () => sandbox.exec('echo no'),
    spawn: async () => sandbox.spawn('echo no'),
    'shell.exec': async () => sandbox.shell('late').exec('echo no'),
    'jobs.start': async () => sandbox.jobs.start('echo no'),
    'jobs.list': async () => sandbox.jobs.list(),
    'files.read': async () => sandbox.files.read('/etc/passwd'),
    'files.write': async () => sandbox.files.write(file, 'no'),
    placement: async () => sandbox.placement(),
  };
}

/** Moments at which the sandbox ends, in milliseconds after all was asked of it: before anything can have started, and in the middle. */
const moments = [0, 40];

/** Everything that is under way when the sandbox ends must end as well, and say why. */
async function endUnderway(context: Context, end: 'close' | 'destroy'): Promise<void> {
  const directory = await context.directory();
  for (const ms of moments) {
    const name = context.name();
    const sandbox = await context.open({ name });
    const markers = [context.marker(), context.marker(), context.marker()] as const;
    const long: Readonly<Record<string, () => Promise<{ readonly ended: Ended }>>> = {
      'a long exec': () => sandbox.exec(asleep(markers[0])),
      'a long spawn': async () => (await sandbox.spawn(asleep(markers[1]), { stdin: 'pipe' })).exited,
      'a long shell.exec': () => sandbox.shell('long').exec(asleep(markers[2])),
    };
    const settled = Object.entries({ ...uses(sandbox, `${directory}/written`), ...long }).map(async ([what, use]) => {
      const { value } = await within(
        8000,
        `${what}, under way at ${end}`,
        use().catch((error: unknown) => ({ error })),
      );
      if (typeof value === 'object' && value !== null && 'error' in value) {
        const told = isPetasosError(value.error) ? value.error.code : show(value.error);
        equal(told, end === 'close' ? 'closed' : 'destroyed', `the error of ${what}, under way at ${end}`);
      } else if (what in long) {
        ensure((value as { readonly ended: Ended }).ended !== 'exited', `${what} was cut off and must not be said to have exited`);
      }
    });
    await delay(ms);
    await within(8000, end, sandbox[end]());
    await Promise.all(settled);
    // Where the place has processes of its own, nobody sees them from another one.
    const place = end === 'close' && context.capabilities.reattach ? await context.open({ name }) : undefined;
    for (const marker of markers) await context.gone(marker, 5000, place);
    await (place ?? sandbox).destroy();
  }
}

/** Content that never ends. `begun` is called when its first part has been taken. */
async function* unending(begun: () => void): AsyncGenerator<Buffer> {
  yield Buffer.alloc(512 * 1024);
  begun();
  await new Promise<never>(() => {});
}

async function closeDuringTransfers(context: Context): Promise<void> {
  const name = context.name();
  const witness = await context.open({ name });
  const directory = `petasos-transfers-${context.marker()}`;
  const local = await context.localDirectory();
  await writeFile(join(local, 'large'), '');
  await truncate(join(local, 'large'), 2 ** 30);
  const transfers: Readonly<Record<string, (sandbox: Sandbox, begun: () => void) => Promise<unknown>>> = {
    write: (sandbox, begun) => sandbox.files.write(`${directory}/kept`, Readable.from(unending(begun), { objectMode: false })),
    upload: (sandbox, begun) => sandbox.files.upload(local, directory, { onProgress: begun }),
  };
  await witness.files.write(`${directory}/kept`, 'kept');
  const names = async () => (await witness.files.list(directory)).map((info) => info.name);
  try {
    for (const [what, transfer] of Object.entries(transfers)) {
      const sandbox = await context.open({ name });
      let begun = false;
      const over = rejects(
        transfer(sandbox, () => {
          begun = true;
        }),
        'closed',
        `${what}, under way at close`,
      );
      await context.eventually(`the begin of ${what}`, () => begun, 15_000);
      await within(8000, `close during ${what}`, sandbox.close());
      await within(8000, `${what}, under way at close`, over);
      await context.eventually(`nothing left of ${what}`, async () => (await names()).length <= 1).catch(() => {});
      equal(await names(), ['kept'], `the names in the directory after ${what}`);
      equal(await witness.files.readText(`${directory}/kept`), 'kept', `the content of the file after ${what}`);
    }
  } finally {
    await witness.files.remove(directory, { recursive: true });
  }
}

const needsIdleStop: Requirement = {
  capability: 'idleStop',
  met: (capabilities) => capabilities.idleStop,
  async absent(context) {
    const sandbox = await context.open({ name: context.name(), idleLimitMs: 200 });
    await sandbox.close();
    await delay(1000);
    if ((await listed(context, sandbox.name)) === undefined) context.note('idleStop is not declared, and an idle sandbox ended by itself');
  },
};

/** The same, where one look at what an undeclared idle limit does is enough. */
const needsIdleStopToo: Requirement = {
  ...needsIdleStop,
  async absent(context) {
    equal((await listed(context, context.sandbox.name))?.state, 'running', 'the state of a sandbox that nothing stops');
  },
};

/** What is left of a sandbox whose idle limit has passed: nothing, or a stopped one where files outlive the client. */
async function idledOut(context: Context, name: string): Promise<boolean> {
  const found = await listed(context, name);
  return context.capabilities.persistent ? found?.state === 'stopped' : found === undefined || found.state === 'gone';
}

export const endOfLife = scenarios('lifecycle', [
  {
    id: 'L3.after-destroy',
    title: 'after destroy every use is the error destroyed and nothing runs',
    async run(context) {
      const sandbox = await context.open({ name: context.name() });
      const shell = sandbox.shell('early');
      exited(await shell.exec(':'));
      await sandbox.destroy();
      for (const [what, use] of Object.entries({ ...uses(sandbox), 'an open shell': () => shell.exec('echo no') })) {
        const { value: error } = await within(5000, what, rejects(use(), 'destroyed', `${what} after destroy`));
        equal(error.backend, sandbox.backend, `the backend that the error of ${what} names`);
      }
    },
  },
  {
    id: 'L3.after-close',
    title: 'after close every use is the error closed and nothing runs',
    async run(context) {
      const sandbox = await context.open({ name: context.name() });
      await sandbox.close();
      for (const [what, use] of Object.entries(uses(sandbox))) {
        await within(5000, what, rejects(use(), 'closed', `${what} after close`));
      }
    },
  },
  {
    id: 'L3.closed-underway',
    title: 'what has only been asked for when the sandbox is closed ends as well, and says that it was closed',
    deadlineMs: 60_000,
    run: (context) => endUnderway(context, 'close'),
  },
  {
    id: 'L3.destroyed-underway',
    title: 'what has only been asked for when the sandbox is destroyed ends as well, and says that it was destroyed',
    deadlineMs: 60_000,
    run: (context) => endUnderway(context, 'destroy'),
  },
  {
    id: 'L3.closed-transfer',
    title: 'a file and a tree on their way when the sandbox is closed change nothing, and nothing half done stays in the place',
    needs: needsReattach,
    deadlineMs: 60_000,
    run: closeDuringTransfers,
  },
  {
    id: 'L3.destroyed-elsewhere',
    title: 'a sandbox that another handle destroyed is a typed error at the next use, within 5 s',
    needs: needsReattach,
    async run(context) {
      const name = context.name();
      const [first, second] = [await context.open({ name }), await context.open({ name })];
      printed(await first.exec('echo alive'), 'alive\n');
      await second.destroy();
      for (const [what, use] of Object.entries(uses(first))) {
        await within(5000, what, rejects(use(), ['destroyed', 'sandbox-not-found'], `${what} after another handle destroyed the sandbox`));
      }
      equal((await context.open({ name })).origin, 'created', 'the origin of the next one');
    },
  },
  {
    id: 'L3.destroyed-under-command',
    title: 'a command under which the sandbox is destroyed ends within 5 s, without an exit code made up for it',
    needs: needsReattach,
    async run(context) {
      const name = context.name();
      const [first, second] = [await context.open({ name }), await context.open({ name })];
      const marker = context.marker();
      let seen = '';
      const running = first.exec(`echo part; ${asleep(marker)}`, {
        onStdout: (chunk) => {
          seen += Buffer.from(chunk).toString();
        },
      });
      running.catch(() => {});
      await context.alive(marker, 5000, second);
      // What has not arrived by the end of its place is lost with it; what has must be in the result.
      await context.eventually('the first output', () => seen === 'part\n');
      await second.destroy();
      const { value } = await within(5000, 'a command of a destroyed sandbox', running);
      ensure(
        value.ended === 'destroyed' || value.ended === 'disconnected',
        `it should have ended destroyed or disconnected, observed ${value.ended}`,
      );
      equal([value.exitCode, value.stdout], [null, 'part\n'], 'exit code and partial output');
    },
  },
  {
    id: 'L5.idle',
    title: 'a sandbox whose client was killed ends by itself after its idle limit',
    needs: needsIdleStop,
    hooks: ['spawnClient'],
    deadlineMs: 60_000,
    async run(context) {
      const name = context.name();
      const client = await context.client({ name, idleLimitMs: 2000, steps: [{ do: 'exec', command: 'true' }, { do: 'hold' }] });
      await client.next('exec', 30_000);
      await client.kill();
      await context.eventually('the end of an idle sandbox', () => idledOut(context, name), 30_000);
      await (await context.open({ name })).destroy();
    },
  },
  {
    id: 'L5.running-job',
    title: 'a running job keeps a sandbox without a client alive beyond its idle limit, and no longer',
    needs: needsIdleStopToo,
    hooks: ['spawnClient'],
    deadlineMs: 60_000,
    async run(context) {
      const name = context.name();
      const client = await context.client({ name, idleLimitMs: 1500, steps: [{ do: 'job', command: 'sleep 6' }, { do: 'hold' }] });
      await client.next('job', 30_000);
      await client.kill();
      await delay(4000);
      equal((await listed(context, name))?.state, 'running', 'the state while the job runs, past the idle limit');
      await context.eventually('the end of an idle sandbox', () => idledOut(context, name), 35_000);
      await (await context.open({ name })).destroy();
    },
  },
  {
    id: 'L5.running-command',
    title: 'a command that runs longer than the idle limit is not idle',
    needs: needsIdleStopToo,
    async run(context) {
      const sandbox = await context.open({ name: context.name(), idleLimitMs: 1000 });
      printed(await sandbox.exec('sleep 3; echo done'), 'done\n');
    },
  },
  {
    id: 'L8.init',
    title: 'init writes its files with their modes, then runs its commands in order, once: not when attaching',
    needs: needsReattach,
    async run(context) {
      const name = context.name();
      const directory = `petasos-init-${context.marker()}`;
      const init = {
        files: [
          { path: `${directory}/private`, content: Uint8Array.of(0, 255, 10), mode: 0o600 },
          { path: `${directory}/text`, content: 'text' },
        ],
        commands: [`cd ${directory}; cat text >>log; echo ' one' >>log`, `echo two >>${directory}/log`],
      };
      const first = await context.open({ name, init });
      try {
        equal(await first.files.readText(`${directory}/log`), 'text one\ntwo\n', 'what the commands wrote');
        equal([...(await first.files.read(`${directory}/private`))], [0, 255, 10], 'the content of a file');
        equal((await first.files.stat(`${directory}/private`)).mode, 0o600, 'the mode of a file');
        await first.files.write(`${directory}/text`, 'changed');
        const second = await context.open({ name, init });
        equal(second.origin, 'attached', 'the origin of the second handle');
        equal(await second.files.readText(`${directory}/log`), 'text one\ntwo\n', 'the log after attaching');
        equal(await second.files.readText(`${directory}/text`), 'changed', 'the file after attaching');
      } finally {
        await first.files.remove(directory, { recursive: true });
      }
    },
  },
  {
    id: 'L8.failed',
    title: 'a failed init says which step failed and why, and leaves no sandbox and no process',
    async run(context) {
      const name = context.name();
      const marker = context.marker();
      const commands = ['true', `${asleep(marker)} & echo 'no such tool' >&2; exit 3`, 'echo never'];
      const error = await rejects(context.open({ name, init: { commands } }), 'init-failed', 'a failed init');
      const said = JSON.stringify([error.message, error.data]);
      ensure(said.includes('exit 3') || /\b2\b/.test(said), `the error should name the step, observed ${said}`);
      ensure(said.includes('no such tool'), `the error should hold what the step wrote to stderr, observed ${said}`);
      equal(await listed(context, name), undefined, 'what is listed');
      await context.gone(marker, 5000);
      const next = await context.open({ name });
      equal(next.origin, 'created', 'the origin of the next open');
    },
  },
  {
    id: 'L8.failed-file',
    title: 'an init file that cannot be written fails the open, and its content is in no message',
    async run(context) {
      const name = context.name();
      const init = { files: [{ path: '/dev/null/petasos', content: `secret ${context.run.marker}` }], commands: ['echo never'] };
      const error = await rejects(context.open({ name, init }), 'init-failed', 'an init file below /dev/null');
      ensure(
        JSON.stringify([error.message, error.data]).includes('/dev/null/petasos'),
        `the error should name the file, observed ${error.message}`,
      );
      ensure(
        !`${error.message} ${error.stack} ${JSON.stringify(error)}`.includes(context.run.marker),
        'the error should not hold the content of the file',
      );
      equal(await listed(context, name), undefined, 'what is listed');
    },
  },
  {
    id: 'L8.aborted',
    title: 'an open that was aborted rejects and leaves nothing',
    async run(context) {
      const early = context.name();
      await rejects(context.open({ name: early, signal: AbortSignal.abort() }), 'aborted', 'an open aborted before it starts');
      equal(await listed(context, early), undefined, 'what is listed of it');
      const late = context.name();
      const marker = context.marker();
      const abort = new AbortController();
      const opening = rejects(
        context.open({ name: late, signal: abort.signal, init: { commands: [asleep(marker)] } }),
        'aborted',
        'an open aborted during init',
      );
      await context.eventually('the sandbox being made', async () => (await listed(context, late)) !== undefined, 15_000);
      abort.abort();
      await within(15_000, 'an aborted open', opening);
      equal(await listed(context, late), undefined, 'what is listed after the abort');
      await context.gone(marker, 5000);
    },
  },
]);
