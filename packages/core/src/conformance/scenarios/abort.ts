import { getEventListeners } from 'node:events';
import { ended, ensure, equal, exited, printed, within } from '../expect.js';
import { scenarios } from '../scenario.js';
import { apart, lasting, mark, nap, stubborn } from '../shell-text.js';

const graceMs = 300;
const slackMs = 500;

export const abort = scenarios('abort', [
  {
    id: 'E6.before-the-start',
    title: 'a signal that is aborted already runs nothing',
    async run(context) {
      const { sandbox } = context;
      const directory = await context.directory();
      const signal = AbortSignal.abort();
      const { value } = await within(1000, 'the return of an aborted command', sandbox.exec(`: > ${directory}/ran; echo ran`, { signal }));
      ended(value, 'aborted');
      equal([value.exitCode, value.stdout], [null, ''], 'exit code and output of a command that did not run');
      exited(await sandbox.exec(`${nap}; nap; test -e ${directory}/ran`), 1);
    },
  },
  {
    id: 'E6.during',
    title: 'an abort ends the command within the grace and gives what it wrote',
    async run(context) {
      const marker = context.marker();
      const controller = new AbortController();
      const command = `${mark(marker)}; echo part; ${lasting(marker)}`;
      const running = context.sandbox.exec(command, { signal: controller.signal, graceMs });
      await context.alive(marker);
      controller.abort();
      const { value } = await within(graceMs + slackMs, 'the return after the abort', running);
      ended(value, 'aborted');
      equal(value.stdout, 'part\n', 'the partial output');
      await context.gone(marker, 300);
      printed(await context.sandbox.exec('echo next'), 'next\n');
    },
  },
  {
    id: 'E6.tree',
    title: 'an abort ends the whole tree: deaf to TERM, in another session, double-forked',
    async run(context) {
      const marker = context.marker();
      const controller = new AbortController();
      const command = `${apart}; ${mark(marker)}; trap '' TERM; apart ${stubborn(marker)} & (apart ${stubborn(marker)} &); echo ready; ${stubborn(marker)}`;
      let seen = '';
      const running = context.sandbox.exec(command, {
        signal: controller.signal,
        graceMs,
        onStdout: (chunk) => {
          seen += Buffer.from(chunk).toString();
        },
      });
      await context.eventually('the start of the tree', () => seen === 'ready\n');
      controller.abort();
      ended((await within(graceMs + slackMs, 'the return after the abort', running)).value, 'aborted');
      await context.gone(marker, 300);
    },
  },
  {
    id: 'E6.at-any-moment',
    title: 'an abort right at the start is an abort, too, and leaves nothing',
    async run(context) {
      const marker = context.marker();
      for (let round = 0; round < 6; round++) {
        const controller = new AbortController();
        const running = context.sandbox.exec(`${mark(marker)}; ${lasting(marker)}`, { signal: controller.signal, graceMs });
        if (round > 0) await new Promise((resolve) => setTimeout(resolve, round - 1));
        controller.abort();
        ended((await within(graceMs + slackMs, `the return after an abort in round ${round}`, running)).value, 'aborted');
      }
      await context.gone(marker, 300);
    },
  },
  {
    id: 'E6.after-the-end',
    title: 'an abort after the end changes nothing, and no listener stays on the signal',
    async run({ sandbox }) {
      const controller = new AbortController();
      const { signal } = controller;
      const result = await sandbox.exec('echo done; exit 2', { signal });
      exited(result, 2);
      equal(getEventListeners(signal, 'abort').length, 0, 'listeners on the signal after the command');
      controller.abort();
      printed(await sandbox.exec('echo next'), 'next\n');
      exited(result, 2);
    },
  },
  {
    id: 'E6.only-its-own',
    title: 'an abort ends the commands with its signal and no other',
    async run(context) {
      const { sandbox } = context;
      const [one, two] = [new AbortController(), new AbortController()];
      const [first, second] = [context.marker(), context.marker()];
      const running = [
        sandbox.exec(lasting(first), { signal: one.signal, graceMs }),
        sandbox.exec(lasting(first), { signal: one.signal, graceMs }),
        sandbox.exec(lasting(second), { signal: two.signal, graceMs }),
      ] as const;
      await context.eventually('both commands', async () => (await context.survivors(first)).length >= 2);
      await context.alive(second);
      one.abort();
      for (const result of await Promise.all([running[0], running[1]])) ended(result, 'aborted');
      ensure((await context.survivors(second)).length > 0, 'the command with another signal should be running, observed none');
      two.abort();
      ended(await running[2], 'aborted');
      await context.gone(first, 300);
      await context.gone(second, 300);
    },
  },
  {
    id: 'E6.spawn',
    title: 'an abort ends a spawned process',
    async run(context) {
      const marker = context.marker();
      const controller = new AbortController();
      const process = await context.sandbox.spawn(`${mark(marker)}; ${stubborn(marker)}`, { signal: controller.signal, graceMs });
      process.stdout.resume();
      process.stderr.resume();
      await context.alive(marker);
      controller.abort();
      ended((await within(graceMs + slackMs, 'the end after the abort', process.exited)).value, 'aborted');
      await context.gone(marker, 300);
    },
  },
]);
