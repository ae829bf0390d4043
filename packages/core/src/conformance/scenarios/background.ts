import { ensure, equal, exited, printed, within } from '../expect.js';
import { type Context, scenarios } from '../scenario.js';
import { apart, lasting, nap, unhung } from '../shell-text.js';

/** The contract's bound on what a background child may add to the return of the foreground. */
const boundMs = 250;

/** How much longer this takes than a command that does nothing, which has the same way to go. */
async function beyondIdle(context: Context, command: string) {
  const time = async (text: string) => {
    const started = performance.now();
    const { value } = await within(3000, 'a return that waits for the foreground alone', context.sandbox.exec(text));
    return { result: value, ms: performance.now() - started };
  };
  const idle = [await time('true'), await time('true'), await time('true')].map((one) => one.ms);
  const { result, ms } = await time(command);
  return { result, ms: ms - Math.max(...idle) };
}

export const background = scenarios('background', [
  {
    id: 'E4.returns-at-once',
    title: 'a background child that holds the pipes does not delay the return, and lives on',
    async run(context) {
      const marker = context.marker();
      const { result, ms } = await beyondIdle(context, `${lasting(marker)} & echo x`);
      printed(result, 'x\n');
      ensure(ms <= boundMs, `the return should come within ${boundMs} ms after the foreground's end, observed ${Math.round(ms)} ms`);
      await context.alive(marker, 0);
      await context.end(marker);
    },
  },
  {
    id: 'E4.status',
    title: 'the status is the foreground’s, whatever runs in the background',
    async run(context) {
      const marker = context.marker();
      exited(await context.sandbox.exec(`${lasting(marker)} & exit 4`), 4);
      printed(await context.sandbox.exec(`(exit 3) & ${lasting(marker)} & echo ok`), 'ok\n');
      await context.end(marker);
    },
  },
  {
    id: 'E4.drained',
    title: 'the foreground’s own output is whole, however much it is and whoever holds the pipes',
    async run(context) {
      const marker = context.marker();
      const result = await context.sandbox.exec(`${lasting(marker)} & head -c 500000 /dev/zero | tr '\\0' x; printf END; printf LAST >&2`);
      exited(result);
      equal(
        [result.output.stdout.totalBytes, result.stdout.slice(-4), result.stderr],
        [500_003, 'xEND', 'LAST'],
        'size and end of the output',
      );
      await context.end(marker);
    },
  },
  {
    id: 'E4.child-lives',
    title: 'background children finish their work after the command has returned',
    async run(context) {
      const directory = await context.directory();
      const work = (name: string) => `sh -c '${nap}; nap; echo done > ${directory}/${name}'`;
      const command = `${apart}; ${unhung}; ${work('plain')} & unhung ${work('nohup')} >/dev/null 2>&1 & (${work('orphan')} &); apart ${work('apart')} & echo started`;
      printed(await context.sandbox.exec(command), 'started\n');
      await context.eventually('the work of all background children', async () => {
        const listing = (await context.sandbox.exec(`cd ${directory} && cat plain nohup orphan apart 2>/dev/null`)).stdout;
        return listing === 'done\n'.repeat(4);
      });
    },
  },
  {
    id: 'E4.no-broken-pipe',
    title: 'a background child that writes after the return gets no SIGPIPE and no error, and is not blocked',
    async run(context) {
      const directory = await context.directory();
      const late = `${nap}; nap; echo late && echo late >&2 && head -c 300000 /dev/zero && nap && echo later && head -c 300000 /dev/zero >&2 && : > ${directory}/survived`;
      printed(await context.sandbox.exec(`(${late}) & echo x`), 'x\n');
      await context.eventually(
        'the end of a child that writes late',
        async () => (await context.sandbox.exec(`test -e ${directory}/survived`)).exitCode === 0,
      );
    },
  },
  {
    id: 'E4.late-output',
    title: 'what a background child writes late is in no other command’s result',
    async run(context) {
      const { sandbox } = context;
      const marker = context.marker();
      const directory = await context.directory();
      const chatter = `${nap}; nap; i=0; while [ $i -lt 8 ]; do echo ${marker}; echo ${marker} >&2; nap; i=$((i+1)); done; : > ${directory}/over`;
      exited(await sandbox.exec(`(${chatter}) & echo first`));
      for (let i = 0, over = false; !over; i++) {
        const result = await sandbox.exec(`echo "own ${i}"; echo "problem ${i}" >&2; test ! -e ${directory}/over`);
        equal(
          [result.stdout, result.stderr],
          [`own ${i}\n`, `problem ${i}\n`],
          `the output of command ${i} while a child of an earlier one writes`,
        );
        over = result.exitCode === 1;
      }
    },
  },
  {
    id: 'E4.many-children',
    title: 'ten commands that leave children behind leave the next ones undisturbed',
    async run(context) {
      const { sandbox } = context;
      const marker = context.marker();
      const commands = Array.from({ length: 10 }, (_, i) =>
        sandbox.exec(`${lasting(marker)} & ${lasting(marker)} >/dev/null 2>&1 & echo ${i}`),
      );
      for (const [i, result] of (await Promise.all(commands)).entries()) printed(result, `${i}\n`);
      printed(await sandbox.exec('echo next'), 'next\n');
      ensure((await context.survivors(marker)).length >= 20, 'all 20 children should be alive, observed fewer');
      await context.end(marker);
      printed(await sandbox.exec('echo after'), 'after\n');
    },
  },
  {
    id: 'E4.spawn',
    title: 'a spawned process ends with its foreground and the child lives on',
    async run(context) {
      const marker = context.marker();
      const process = await context.sandbox.spawn(`${lasting(marker)} & echo x; exit 3`);
      const started = performance.now();
      const [stdout, , end] = await Promise.all([process.stdout.toArray(), process.stderr.toArray(), process.exited]);
      const ms = performance.now() - started;
      equal(Buffer.concat(stdout).toString(), 'x\n', 'stdout');
      exited(end, 3);
      ensure(ms < 5000, `the end of both streams should not wait for the child, observed ${Math.round(ms)} ms`);
      await context.alive(marker, 0);
      await context.end(marker);
    },
  },
]);
