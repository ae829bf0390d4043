import { ended, equal, exited, within } from '../expect.js';
import { type Context, scenarios } from '../scenario.js';
import { apart, lasting, mark, stubborn } from '../shell-text.js';

/** Spawns and reads stdout all along; a process that is not read could block. */
async function start(context: Context, command: string) {
  const process = await context.sandbox.spawn(command, { graceMs: 300 });
  const output = { text: '' };
  process.stdout.on('data', (chunk: Buffer) => {
    output.text += chunk.toString();
  });
  process.stderr.resume();
  return { process, output };
}

export const kill = scenarios('kill', [
  {
    id: 'spawn.kill',
    title: 'kill without a signal is TERM, and the end says that a signal was the cause',
    async run(context) {
      const marker = context.marker();
      const { process } = await start(context, lasting(marker));
      await context.alive(marker);
      await process.kill();
      const { value } = await within(3000, 'the end after kill', process.exited);
      ended(value, 'signaled');
      equal([value.signal, value.exitCode], ['SIGTERM', null], 'signal and exit code');
      await context.gone(marker, 300);
    },
  },
  {
    id: 'spawn.kill-signal',
    title: 'a signal that the command handles reaches it, and it goes on',
    async run(context) {
      const marker = context.marker();
      const command = `trap 'echo usr1' USR1; trap 'echo hup' HUP; trap 'exit 7' INT; echo ready; while :; do sh -c 'sleep 1; :' ${marker}; done`;
      const { process, output } = await start(context, command);
      await context.eventually('the start', () => output.text === 'ready\n');
      await process.kill('SIGUSR1');
      await context.eventually('the answer to USR1', () => output.text.endsWith('usr1\n'));
      await process.kill('SIGHUP');
      await context.eventually('the answer to HUP', () => output.text.endsWith('hup\n'));
      await process.kill('SIGINT');
      exited((await within(5000, 'the end after INT', process.exited)).value, 7);
      await context.gone(marker, 2000);
    },
  },
  {
    id: 'spawn.kill-tree',
    title: 'KILL ends the whole tree: children, other sessions, double-forked ones',
    async run(context) {
      const marker = context.marker();
      const command = `${apart}; ${mark(marker)}; apart ${stubborn(marker)} & (apart ${stubborn(marker)} &); ${stubborn(marker)} & echo ready; wait`;
      const { process, output } = await start(context, command);
      await context.eventually('the start', () => output.text === 'ready\n');
      await process.kill('SIGKILL');
      const { value } = await within(2000, 'the end after KILL', process.exited);
      ended(value, 'signaled');
      equal(value.signal, 'SIGKILL', 'the signal');
      await context.gone(marker, 500);
    },
  },
  {
    id: 'spawn.kill-pauses',
    title: 'STOP halts the tree and CONT lets it go on',
    async run(context) {
      const marker = context.marker();
      const command = `${mark(marker)}; i=0; while :; do echo $i; i=$((i+1)); sleep 0.05 2>/dev/null || sleep 1; done`;
      const { process, output } = await start(context, command);
      await context.eventually('the first lines', () => output.text.includes('1\n'));
      await process.kill('SIGSTOP');
      let last = -1;
      await context.eventually('a halt', async () => {
        const before = last;
        last = output.text.length;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return before === last && output.text.length === last;
      });
      await process.kill('SIGCONT');
      await context.eventually('new lines after CONT', () => output.text.length > last);
      await process.kill('SIGKILL');
      await within(2000, 'the end', process.exited);
      await context.gone(marker, 500);
    },
  },
  {
    id: 'spawn.kill-after-the-end',
    title: 'kill after the end is harmless',
    async run(context) {
      const { process } = await start(context, 'exit 4');
      exited(await process.exited, 4);
      await process.kill();
      await process.kill('SIGKILL');
      exited(await process.exited, 4);
    },
  },
]);
