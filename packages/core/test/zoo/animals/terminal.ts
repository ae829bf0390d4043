import { PassThrough, Transform, type TransformCallback } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Terminal } from '../../../src/sandbox/types.js';
import { type Animal, breakSandbox, overlay } from '../animal.js';

/** Replaces members of every terminal. */
function breakTerminal(replace: (terminal: Terminal) => Partial<Terminal>): Animal['breakIt'] {
  return breakSandbox((sandbox) => ({
    terminal: async (options) => {
      const terminal = await sandbox.terminal(options);
      return overlay(terminal, replace(terminal));
    },
  }));
}

/** What is typed, on its way through `change`. */
const breakInput = (change: (bytes: Buffer, done: TransformCallback, terminal: Terminal) => void): Animal['breakIt'] =>
  breakTerminal((terminal) => {
    const input = new Transform({ transform: (bytes: Buffer, _encoding, done) => change(bytes, done, terminal) });
    input.pipe(terminal.input);
    return { input };
  });

export const terminalAnimals: readonly Animal[] = [
  {
    name: 'opens every terminal in the same size',
    caughtBy: 'terminal.tty',
    breakIt: breakSandbox((sandbox) => ({ terminal: (options) => sandbox.terminal({ ...options, columns: 80, rows: 24 }) })),
  },
  { name: 'keeps a new size to itself', caughtBy: 'terminal.resize', breakIt: breakTerminal(() => ({ resize() {} })) },
  {
    name: 'takes what is typed for text',
    caughtBy: 'terminal.bytes',
    breakIt: breakInput((bytes, done) => done(null, Buffer.from(bytes.toString('utf8')))),
  },
  {
    name: 'loses what is typed at once',
    caughtBy: 'terminal.typed-ahead',
    breakIt: breakTerminal((terminal) => {
      const input = new PassThrough();
      input.resume();
      void delay(200).then(() => input.pipe(terminal.input));
      return { input };
    }),
  },
  {
    name: 'stops reading once the program is over',
    caughtBy: 'terminal.last-words',
    breakIt: breakTerminal((terminal) => {
      let last = Buffer.alloc(0);
      const output = new Transform({
        transform(bytes: Buffer, _encoding, done) {
          const all = Buffer.concat([last, bytes]);
          last = all.subarray(-20);
          done(null, all.subarray(0, -20));
        },
      });
      return { output: terminal.output.pipe(output) };
    }),
  },
  {
    name: 'interrupts the shell as well',
    caughtBy: 'terminal.interrupt',
    breakIt: breakInput((bytes, done, terminal) => {
      if (bytes.includes(0x03)) terminal.kill();
      done(null, bytes);
    }),
  },
  {
    name: 'starts a person’s shell wherever it likes',
    caughtBy: 'terminal.default-shell',
    breakIt: breakSandbox((sandbox) => ({ terminal: ({ cwd: _cwd, ...options } = {}) => sandbox.terminal(options) })),
  },
  { name: 'lets the program of a killed terminal run on', caughtBy: 'terminal.kill', breakIt: breakTerminal(() => ({ kill() {} })) },
  {
    name: 'makes an exit status up for a terminal whose sandbox was destroyed',
    caughtBy: 'terminal.destroy',
    breakIt: breakTerminal((terminal) => ({
      exited: terminal.exited.then((end) => ({ ...end, ended: 'exited' as const, exitCode: end.exitCode ?? 0 })),
    })),
  },
];
