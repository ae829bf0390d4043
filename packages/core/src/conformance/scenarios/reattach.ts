import { equal, fail, within } from '../expect.js';
import { needsReattach } from '../requirements.js';
import { scenarios } from '../scenario.js';
import { asleep, held } from '../shell-text.js';

/** Writes one line before and one after it is let go on, so that nobody who left in between can have read both. */
const two = (go: string) => `echo before; ${held(go)}; echo after; exit 9`;
const twoLines = 'before\nafter\n';

export const reattach = scenarios('jobs', [
  {
    id: 'J2.reopened',
    title: 'a job runs on while nobody is attached; who opens the sandbox again reads everything from byte 0 and its status',
    needs: needsReattach,
    async run(context) {
      const name = context.name();
      const first = await context.open({ name });
      const go = `/tmp/${context.marker()}`;
      const { id } = await first.jobs.start(two(go));
      await first.close();
      const second = await context.open({ name });
      await second.files.write(go, '');
      equal((await within(10_000, 'the end of the job', second.jobs.wait(id))).value.exitCode, 9, 'the exit code');
      await second.close();
      const third = await context.open({ name });
      const info = await third.jobs.get(id);
      equal([info.state, info.exitCode], ['exited', 9], 'the state that a third handle sees');
      equal(Buffer.from((await third.jobs.output(id)).bytes).toString(), twoLines, 'the output');
    },
  },
  {
    id: 'J2.client-exits',
    title: 'a job survives the exit of the client that started it, and another process reads all of it by its id',
    needs: needsReattach,
    hooks: ['spawnClient'],
    deadlineMs: 40_000,
    async run(context) {
      const name = context.name();
      const sandbox = await context.open({ name });
      const go = `/tmp/${context.marker()}`;
      const starter = await context.client({ name, steps: [{ do: 'job', command: two(go) }] });
      const { id } = await starter.next('job');
      await starter.finish();
      await sandbox.files.write(go, '');
      const { value } = await within(10_000, 'the end of the job', sandbox.jobs.wait(id));
      equal([value.state, value.exitCode], ['exited', 9], 'the end of the job');
      const reader = await context.client({ name, steps: [{ do: 'job-output', id }] });
      const output = await reader.next('job-output');
      equal([output.text, output.state, output.exitCode], [twoLines, 'exited', 9], 'what another process reads');
    },
  },
  {
    id: 'J2.client-killed',
    title: 'a client killed with SIGKILL leaves no foreground process behind and its jobs running',
    needs: needsReattach,
    hooks: ['spawnClient'],
    deadlineMs: 60_000,
    async run(context) {
      const name = context.name();
      const sandbox = await context.open({ name });
      const [foreground, stubborn, job] = [context.marker(), context.marker(), context.marker()];
      const command = `trap '' TERM HUP; (trap '' TERM HUP; exec ${asleep(stubborn)}) & echo ready; ${asleep(foreground)}`;
      const client = await context.client({
        name,
        steps: [
          { do: 'job', command: `echo started; exec ${asleep(job)}` },
          { do: 'exec', command },
        ],
      });
      const { id } = await client.next('job');
      if ((await client.next('output')).text !== 'ready\n') fail('the command of the other client should say ready');
      for (const marker of [foreground, stubborn, job]) await context.alive(marker, 5000, sandbox);
      await client.kill();
      // Where no end of file tells the place, it has to miss the client's signs of life.
      const { stdin, stdinOutlivesClient } = context.capabilities;
      const noticedMs = stdin === 'stream' && !stdinOutlivesClient ? 5000 : 30_000;
      for (const marker of [foreground, stubborn]) await context.gone(marker, noticedMs, sandbox);
      await context.alive(job, 1000, sandbox);
      equal((await sandbox.jobs.get(id)).state, 'running', 'the state of the job');
      equal(Buffer.from((await sandbox.jobs.output(id, { from: 0 })).bytes).toString(), 'started\n', 'its output from byte 0');
    },
  },
  {
    id: 'J2.client-killed-while-starting',
    title: 'a client killed right after it has the job’s id loses neither the job nor its output',
    needs: needsReattach,
    hooks: ['spawnClient'],
    deadlineMs: 40_000,
    async run(context) {
      const name = context.name();
      const sandbox = await context.open({ name });
      const go = `/tmp/${context.marker()}`;
      const client = await context.client({ name, steps: [{ do: 'job', command: two(go) }, { do: 'hold' }] });
      const { id } = await client.next('job');
      await client.kill();
      await sandbox.files.write(go, '');
      const { value } = await within(10_000, 'the end of the job', sandbox.jobs.wait(id));
      equal([value.state, value.exitCode], ['exited', 9], 'the end of the job');
      equal(Buffer.from((await sandbox.jobs.output(id)).bytes).toString(), twoLines, 'the output');
    },
  },
  {
    id: 'J2.two-clients',
    title: 'two clients of one sandbox see each other’s jobs, and one ending harms the other in nothing',
    needs: needsReattach,
    async run(context) {
      const name = context.name();
      const [first, second] = [await context.open({ name }), await context.open({ name })];
      const [jobGoes, commandGoes] = [`/tmp/${context.marker()}`, `/tmp/${context.marker()}`];
      const mine = await first.jobs.start(`${held(jobGoes)}; echo mine`);
      const running = second.exec(`${held(commandGoes)}; echo still here`);
      const theirs = await second.jobs.start('exit 4');
      equal((await first.jobs.wait(theirs.id)).exitCode, 4, 'the exit code of the other’s job');
      await first.close();
      await second.files.write(commandGoes, '');
      equal((await running).stdout, 'still here\n', 'the output of a command of the one that stays');
      await second.files.write(jobGoes, '');
      equal((await second.jobs.wait(mine.id)).exitCode, 0, 'the exit code of a job of the one that left');
    },
  },
]);
