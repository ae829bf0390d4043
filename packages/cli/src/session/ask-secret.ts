import { closeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { ReadStream } from 'node:tty';
import type { AskSecret } from '@petasos/core/backend';
import type { Context } from './context.js';
import { holdInput, openTerminal } from './controlling-terminal.js';

/** Asks on the terminal without showing the answer; undefined when there is none on which a person would see the question. */
export function terminalSecret(context: Context): AskSecret | undefined {
  const { stderr } = context;
  if (stderr.isTTY !== true) return undefined;
  const terminal = openTerminal();
  if (terminal === undefined) return undefined;
  closeSync(terminal);
  return async (question) => {
    const release = holdInput(context);
    const descriptor = openTerminal();
    try {
      if (descriptor === undefined) return undefined;
      const input = new ReadStream(descriptor);
      try {
        return await readSecret(input, stderr, question);
      } finally {
        input.destroy();
      }
    } finally {
      release();
    }
  };
}

/** A terminal's keys, one by one. */
type Keys = Readable & { setRawMode(raw: boolean): unknown };

/** Undefined when the person gives up, by Ctrl-C or by the end of the input. */
export async function readSecret(input: Keys, output: Writable, question: string): Promise<string | undefined> {
  output.write(question);
  input.setRawMode(true);
  input.setEncoding('utf8');
  let typed: string[] = [];
  try {
    for await (const chunk of input as AsyncIterable<string>) {
      for (const key of chunk) {
        if (key === '\r' || key === '\n') return typed.join('');
        if (key === '\x03' || key === '\x04') return undefined;
        if (key === '\x7f' || key === '\b') typed.pop();
        else if (key === '\x15') typed = [];
        else if (key >= ' ') typed.push(key);
      }
    }
    return undefined;
  } finally {
    input.setRawMode(false);
    output.write('\n');
  }
}
