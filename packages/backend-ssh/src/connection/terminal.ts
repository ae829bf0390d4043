import type { Readable, Writable } from 'node:stream';
import { type DriverProcess, type DriverTerminal, PetasosError, type TerminalRequest } from '@petasos/core/backend';
import type { ClientChannel } from 'ssh2';
import { bootLine } from './login-shell.js';

/** The terminal behind a channel. `ready` is the word that it prints when it waits for its program. */
export async function openTerminal(
  channel: ClientChannel,
  process: DriverProcess & { readonly stdin: Writable },
  request: TerminalRequest,
  ready: string,
): Promise<DriverTerminal> {
  process.stderr?.resume();
  await untilReady(process.stdout, `${ready}\n`);
  const { argv, env, cwd } = request;
  process.stdin.write(bootLine({ argv, env, cwd, before: `printf %s ${ready}`, stdin: true }));
  // What is typed before the terminal is a terminal again would be read as it is: a Return would end no line.
  await untilReady(process.stdout, ready);
  return {
    input: process.stdin,
    output: process.stdout,
    exited: process.exited,
    resize: (columns, rows) => {
      channel.setWindow(rows, columns, 0, 0);
    },
    kill: () => process.kill(),
  };
}

/** Reads past the word; what login shells print before it belongs to nobody. */
async function untilReady(stream: Readable, word: string): Promise<void> {
  const seen: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      for (let chunk = stream.read() as Buffer | null; chunk !== null; chunk = stream.read() as Buffer | null) {
        seen.push(chunk);
        const all = Buffer.concat(seen);
        const at = all.indexOf(word);
        if (at === -1) continue;
        stop();
        stream.unshift(all.subarray(at + word.length));
        resolve();
        return;
      }
    };
    const end = () => {
      stop();
      reject(
        new PetasosError('place-failed', 'the server opened a terminal in which no shell answers', {
          backend: 'ssh',
          operation: 'terminal',
          remedy: 'The account needs a login shell that runs commands, and sh and stty in its PATH.',
        }),
      );
    };
    const stop = () => {
      stream.off('readable', look);
      stream.off('end', end);
    };
    stream.on('readable', look);
    stream.once('end', end);
  });
}
