import { setTimeout as delay } from 'node:timers/promises';
import type { Sandbox, Terminal, TerminalOptions } from '../../sandbox/types.js';
import { ensure, equal, exited, fail, show, within } from '../expect.js';
import { needs } from '../requirements.js';
import { type Context, scenarios } from '../scenario.js';
import { asleep } from '../shell-text.js';

const needsTerminal = needs('terminal', ({ sandbox }) => sandbox.terminal());

export const terminal = scenarios('terminal', [
  {
    id: 'terminal.tty',
    title: 'a terminal has a size and a name, what is typed is echoed, and the exit code comes back',
    needs: needsTerminal,
    run: (context) =>
      withTerminal(
        context,
        {
          command: 'tty >/dev/null && echo is-a-tty; stty size; echo "$TERM"; read -r line; echo "got $line"; exit 7',
          columns: 91,
          rows: 33,
        },
        async (terminal, screen) => {
          await screen('xterm');
          ensure((await screen('is-a-tty')).includes('33 91'), 'stty should tell 33 rows and 91 columns');
          terminal.input.write('typed\r');
          const text = await screen('got typed');
          ensure(text.indexOf('typed') < text.indexOf('got typed'), `what is typed should be echoed, observed ${show(text)}`);
          exited((await within(5000, 'the end of a terminal', terminal.exited)).value, 7);
        },
      ),
  },
  {
    id: 'terminal.bytes',
    title: 'every byte that is typed arrives as it is, also one that is no text',
    needs: needsTerminal,
    run: (context) =>
      withTerminal(context, { command: 'stty raw -echo; echo ready; head -c 256 | od -An -v -tx1' }, async (terminal, screen) => {
        await screen('ready');
        terminal.input.write(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
        const shown = (await screen('ff'))
          .replace(/^[\s\S]*ready/, '')
          .trim()
          .split(/\s+/);
        equal(
          shown,
          Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')),
          'the bytes that a program has read',
        );
      }),
  },
  {
    id: 'terminal.typed-ahead',
    title: 'what is typed before the program has begun to read waits for it',
    needs: needsTerminal,
    run: (context) =>
      withTerminal(context, { command: 'read -r a; read -r b; echo "[$a|$b]"' }, async (terminal, screen) => {
        terminal.input.write('one\rtwo\r');
        await screen('[one|two]');
      }),
  },
  {
    id: 'terminal.last-words',
    title: 'what a program writes right before its end arrives, also when many end at once and when it is read late',
    needs: needsTerminal,
    async run({ sandbox }) {
      const words = Array.from({ length: 12 }, (_, index) => `word ${index} and the last`);
      const said = await Promise.all(words.map((word) => written(sandbox, `echo first; echo '${word}'`)));
      for (const [index, word] of words.entries()) equal(said[index]?.trim().split(/[\r\n]+/), ['first', word], 'what a program wrote');
      // More than what is read ahead of a reader: the end of it is still in the terminal when the program has ended.
      const line = 'x'.repeat(62);
      const late = await written(sandbox, `i=0; while [ $i -lt 1500 ]; do echo ${line}; i=$((i+1)); done; echo end`, 1_000);
      equal(late.trim().split(/[\r\n]+/).length, 1501, 'lines of a program that was read late');
    },
  },
  {
    id: 'terminal.resize',
    title: 'a program learns of a new size',
    needs: needsTerminal,
    run: (context) =>
      withTerminal(
        context,
        { command: "trap 'stty size' WINCH; echo ready; while :; do sleep 1; done", columns: 80, rows: 24 },
        async (terminal, screen) => {
          await screen('ready');
          terminal.resize(101, 41);
          await screen('41 101');
        },
      ),
  },
  {
    id: 'terminal.interrupt',
    title: 'Ctrl-C interrupts the program in front and not the shell',
    needs: needsTerminal,
    run: (context) =>
      withTerminal(context, { command: 'exec sh -i' }, async (terminal, screen) => {
        const marker = context.marker();
        terminal.input.write(`${asleep(marker)}\r`);
        await context.alive(marker);
        terminal.input.write('\x03');
        terminal.input.write('echo al""ive\r');
        await screen('alive');
        await context.gone(marker);
        terminal.input.write('exit 4\r');
        exited((await within(5000, 'the end of a shell told to exit', terminal.exited)).value, 4);
      }),
  },
  {
    id: 'terminal.default-shell',
    title: 'without a command a terminal is a person’s shell in the directory and with the variables asked for',
    needs: needsTerminal,
    async run(context) {
      const directory = await context.directory();
      await withTerminal(context, { cwd: directory, env: { SUITE_VALUE: 'the value' } }, async (terminal, screen) => {
        terminal.input.write('echo "[$PWD|$SUITE_VALUE]"\r');
        await screen(`[${directory}|the value]`);
        terminal.input.write('exit\r');
        await within(5000, 'the end of a shell told to exit', terminal.exited);
      });
    },
  },
  {
    id: 'terminal.kill',
    title: 'killing a terminal ends what runs in it',
    needs: needsTerminal,
    async run(context) {
      const marker = context.marker();
      await withTerminal(context, { command: `echo ready; ${asleep(marker)}` }, async (terminal, screen) => {
        await screen('ready');
        await context.alive(marker);
        terminal.kill();
        const { value } = await within(5000, 'the end of a killed terminal', terminal.exited);
        if (value.ended === 'exited' && value.exitCode === 0) fail('a killed terminal must not be said to have exited 0');
        await context.gone(marker, 3000);
      });
    },
  },
  {
    id: 'terminal.destroy',
    title: 'destroying the sandbox ends its terminals',
    needs: needsTerminal,
    async run(context) {
      const sandbox = await context.open();
      const marker = context.marker();
      await withTerminal({ ...context, sandbox }, { command: asleep(marker) }, async (terminal) => {
        await context.alive(marker, 5000, sandbox);
        await sandbox.destroy();
        equal((await within(5000, 'the end of a terminal', terminal.exited)).value.exitCode, null, 'the exit code');
        await context.gone(marker, 3000);
      });
    },
  },
]);

/** All that a command wrote, read from the moment `afterMs` on. */
async function written(sandbox: Sandbox, command: string, afterMs = 0): Promise<string> {
  const terminal = await sandbox.terminal({ command });
  await delay(afterMs);
  const bytes = await within(8000, 'the end of what a terminal shows', terminal.output.toArray());
  return Buffer.concat(bytes.value as Buffer[]).toString('utf8');
}

/** Opens a terminal that is killed afterwards; `screen` waits until a text has been written and gives all so far. */
async function withTerminal(
  { sandbox, eventually }: Context,
  options: TerminalOptions,
  work: (terminal: Terminal, screen: (text: string) => Promise<string>) => Promise<void>,
): Promise<void> {
  const terminal = await sandbox.terminal(options);
  let written = '';
  terminal.output.on('data', (chunk: Buffer) => {
    written += chunk.toString('latin1');
  });
  try {
    await work(terminal, (text) => eventually(`${JSON.stringify(text)} on the terminal`, () => written.includes(text) && written, 8000));
  } finally {
    terminal.kill();
  }
}
