import { ensure, equal, exited, fail, printed, rejects, within } from '../expect.js';
import { backendOf, listed } from '../listing.js';
import { needsReattach } from '../requirements.js';
import { scenarios } from '../scenario.js';
import { asleep } from '../shell-text.js';

export const lifecycle = scenarios('lifecycle', [
  {
    id: 'L1.origin',
    title: 'the first open of a name creates, the second attaches to the same sandbox, and both say so',
    needs: needsReattach,
    async run(context) {
      const name = context.name();
      const first = await context.open({ name });
      equal(
        [first.origin, first.name, first.backend],
        ['created', name, context.subject.backend.name],
        'origin, name and backend of the first',
      );
      const file = context.marker();
      exited(await first.exec(`printf here >${file}`));
      const second = await context.open({ name });
      equal([second.origin, second.id, second.name], ['attached', first.id, name], 'origin, id and name of the second');
      printed(await second.exec(`cat ${file} && rm ${file}`), 'here');
    },
  },
  {
    id: 'L1.race',
    title: 'two that open one name at once get one sandbox, created once',
    needs: needsReattach,
    async run(context) {
      const name = context.name();
      const [first, second] = await Promise.all([context.open({ name }), context.open({ name })]);
      equal(second.id, first.id, 'the id of the second');
      equal([first.origin, second.origin].sort(), ['attached', 'created'], 'the origins');
      ensure((await listed(context, name)) !== undefined, 'the sandbox should be listed');
      printed(await first.exec('echo one'), 'one\n');
      printed(await second.exec('echo two'), 'two\n');
    },
  },
  {
    id: 'L1.race-of-processes',
    title: 'two processes that open one name at once get one sandbox, created once',
    needs: needsReattach,
    hooks: ['spawnClient'],
    async run(context) {
      const name = context.name();
      const task = { name, steps: [{ do: 'exec', command: 'echo alive' }, { do: 'hold' }] } as const;
      const clients = await Promise.all([context.client(task), context.client(task)]);
      const opened = await Promise.all(clients.map((client) => client.next('opened', 15_000)));
      equal(opened[1]?.id, opened[0]?.id, 'the id that the second process got');
      equal(opened.map((event) => event.origin).sort(), ['attached', 'created'], 'the origins');
      for (const client of clients) equal((await client.next('exec')).stdout, 'alive\n', 'the output of a command');
      await Promise.all(clients.map((client) => client.finish()));
      await (await context.open({ name })).destroy();
    },
  },
  {
    id: 'L1.similar-name',
    title: 'a name that another begins with, or that begins with another, is another sandbox',
    async run(context) {
      const taken = context.sandbox.name.slice(0, 62);
      for (const name of [`${taken}x`, taken.slice(0, -1)]) {
        const other = await context.open({ name });
        equal([other.origin, other.name], ['created', name], 'origin and name');
        ensure(other.id !== context.sandbox.id, 'the ids should differ');
        await other.destroy();
      }
      printed(await context.sandbox.exec('echo alive'), 'alive\n');
    },
  },
  {
    id: 'L1.unnamed',
    title: 'without a name every open makes a new sandbox with a name of its own',
    async run(context) {
      const other = await context.open();
      equal(other.origin, 'created', 'the origin');
      ensure(other.id !== context.sandbox.id && other.name !== context.sandbox.name, 'id and name should differ from those of another');
      ensure(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}$/.test(other.name), `the name should be a valid one, observed ${other.name}`);
    },
  },
  {
    id: 'L1.invalid-name',
    title: 'a name that no sandbox may have is refused before anything is made',
    async run(context) {
      for (const name of ['', '.', '../up', 'a b', 'a/b', '-rf', '$(id)', 'ü', 'a\nb', 'x'.repeat(64)]) {
        await rejects(context.open({ name }), ['invalid-request', 'invalid-options'], `the name ${JSON.stringify(name)}`);
      }
    },
  },
  {
    id: 'L1.unknown-option',
    title: 'an option of the backend that it does not know is refused and not ignored',
    async run(context) {
      const { backend } = await backendOf(context);
      const given: unknown = context.subject.options;
      const checked = await backend.options['~standard'].validate({ ...(typeof given === 'object' ? given : {}), petasosUnknownOption: 1 });
      const text = JSON.stringify((checked.issues ?? []).map((issue) => [issue.message, issue.path]));
      ensure(text.includes('petasosUnknownOption'), `an issue should name the unknown option, observed ${text}`);
    },
  },
  {
    id: 'L2.close',
    title: 'close lets go and leaves the sandbox with its files and jobs; closing twice is fine',
    needs: needsReattach,
    async run(context) {
      const name = context.name();
      const first = await context.open({ name });
      const marker = context.marker();
      const job = await first.jobs.start(asleep(marker));
      const file = context.marker();
      await first.files.write(file, 'kept');
      await first.close();
      await first.close();
      ensure((await listed(context, name)) !== undefined, 'a closed sandbox should still be listed');
      const second = await context.open({ name });
      equal([second.origin, second.id], ['attached', first.id], 'origin and id');
      equal(await second.files.readText(file), 'kept', 'the file');
      await second.files.remove(file);
      equal((await second.jobs.get(job.id)).state, 'running', 'the state of the job');
      await context.alive(marker, 5000, second);
    },
  },
  {
    id: 'L2.destroy',
    title: 'destroy ends everything that ran in the sandbox and takes it off the list; a new one of that name knows nothing of it',
    async run(context) {
      const name = context.name();
      const first = await context.open({ name });
      const [foreground, background, job, session] = [context.marker(), context.marker(), context.marker(), context.marker()];
      exited(await first.exec(`${asleep(background)} &`));
      const started = await first.jobs.start(asleep(job));
      const shell = first
        .shell('session')
        .exec(asleep(session))
        .catch((error: unknown) => error);
      const running = first.exec(asleep(foreground)).catch((error: unknown) => error);
      for (const marker of [foreground, background, job, session]) await context.alive(marker, 5000, first);
      await within(10_000, 'destroy', first.destroy());
      await within(5000, 'commands of a destroyed sandbox', Promise.all([shell, running]));
      for (const marker of [foreground, background, job, session]) await context.gone(marker, 3000);
      equal(await listed(context, name), undefined, 'what is listed');
      const second = await context.open({ name });
      equal(second.origin, 'created', 'the origin of the next one');
      equal(await second.jobs.list(), [], 'its jobs');
      await rejects(second.jobs.get(started.id), 'job-not-found', 'a job of the destroyed sandbox');
    },
  },
  {
    id: 'L2.destroy-twice',
    title: 'destroy may be called again, at once, after close, by another handle and by the backend',
    async run(context) {
      const sandbox = await context.open({ name: context.name() });
      await Promise.all([sandbox.destroy(), sandbox.destroy()]);
      await sandbox.destroy();
      await sandbox.close();
      const { backend, options, host } = await backendOf(context);
      await backend.destroy(options, sandbox.ref, host);
      const closed = await context.open({ name: context.name() });
      await closed.close();
      await closed.destroy();
      equal(await listed(context, closed.name), undefined, 'what is listed after close and destroy');
    },
  },
  {
    id: 'L2.dispose',
    title: 'await using destroys a sandbox without a name and only closes a named one',
    needs: needsReattach,
    async run(context) {
      const unnamed = await context.open();
      await unnamed[Symbol.asyncDispose]();
      equal(await listed(context, unnamed.name), undefined, 'the unnamed one in the list');
      const named = await context.open({ name: context.name() });
      await named[Symbol.asyncDispose]();
      ensure((await listed(context, named.name)) !== undefined, 'the named one should still be listed');
      equal((await context.open({ name: named.name })).id, named.id, 'the id after attaching again');
    },
  },
  {
    id: 'L2.close-while-running',
    title: 'close under a running command ends the wait for it and the command',
    async run(context) {
      const sandbox = await context.open({ name: context.name() });
      const marker = context.marker();
      const running = sandbox.exec(asleep(marker)).then(
        (result) => result.ended,
        (error: unknown) => rejects(Promise.reject(error), ['closed', 'disconnected'], 'a command whose handle was closed'),
      );
      await context.alive(marker, 5000, sandbox);
      await within(5000, 'close under a running command', sandbox.close());
      const { value } = await within(5000, 'the command under close', running);
      if (value === 'exited') fail('a command that was cut off must not be said to have exited');
      await context.gone(marker, 5000);
    },
  },
  {
    id: 'L4.list',
    title: 'the list shows a sandbox with state, age, owner and labels, ours and the user’s',
    async run(context) {
      const name = context.name();
      const sandbox = await context.open({ name, labels: { project: 'suite' } });
      const found = await listed(context, name);
      equal([found?.ref.id, found?.ref.backend, found?.state], [sandbox.id, sandbox.backend, 'running'], 'id, backend and state');
      if (found === undefined) fail('the sandbox is not listed');
      ensure(Math.abs(found.createdAt.getTime() - Date.now()) < 120_000, `it should be new, observed ${found.createdAt.toISOString()}`);
      ensure(found.owner.length > 0, 'it should have an owner');
      const ours = Object.keys(found.labels).filter((key) => key.startsWith('petasos.'));
      ensure(ours.length >= 3, `our labels should be on it, observed ${JSON.stringify(found.labels)}`);
      ensure(Object.values(found.labels).includes('suite'), `the user's label should be on it, observed ${JSON.stringify(found.labels)}`);
    },
  },
  {
    id: 'L4.ref',
    title: 'a ref that went through JSON is enough to remove a sandbox, and holds no secret',
    async run(context) {
      const sandbox = await context.open({ name: context.name(), env: { TOKEN: context.run.marker } });
      const text = JSON.stringify(sandbox.ref);
      ensure(!text.includes(context.run.marker), `the ref should hold no value of a variable, observed ${text}`);
      await sandbox.close();
      const { backend, options, host } = await backendOf(context);
      await backend.destroy(options, JSON.parse(text), host);
      equal(await listed(context, sandbox.name), undefined, 'what is listed');
    },
  },
]);
