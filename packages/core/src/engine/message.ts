import { exportCode } from './environment.js';
import { escapeForPrintf, quote } from './quote.js';
import type { Program } from './runner.js';

/** Linux takes no single argument above 128 KiB; a longer text travels through a pipe. */
export const argumentLimit = 100_000;

/** Reads the text whole, a trailing newline included, and evaluates it as `-c` would. */
const evaluatePiped = 'set -- "$(cat <&3; echo x)"; exec 3<&-; eval "set --;${1%x}"';

export interface MessageInput {
  readonly kind: 'none' | 'rest' | 'data' | 'file';
  /** With `data`: the bytes. */
  readonly bytes?: Uint8Array | undefined;
  /** With `file`: its path in the place. */
  readonly path?: string | undefined;
}

export interface Message {
  readonly nonce: string;
  readonly program: Program;
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly input: MessageInput;
  /** Ask for a report when the command has started. */
  readonly acknowledge: boolean;
  /** A file whose first line is appended to the final report. */
  readonly note?: string | undefined;
}

/** One line of shell code that sets up everything `command.sh` needs. */
export function encodeMessage(message: Message, bash: string | null): string {
  const { program, input } = message;
  const { argv, piped } = programArguments(program, bash);
  const data = input.kind === 'data' ? escapeForPrintf(input.bytes ?? new Uint8Array()) : (input.path ?? '');
  return [
    `petasos_nonce=${message.nonce}`,
    `petasos_cwd=${quote(message.cwd ?? '')}`,
    `petasos_in=${input.kind}`,
    `petasos_data=${quote(data)}`,
    `petasos_text=${piped === undefined ? '' : quote(piped)}`,
    `petasos_note=${quote(message.note ?? '')}`,
    `petasos_ack=${message.acknowledge ? '1' : ''}`,
    `petasos_env() { :; ${exportCode(message.env)} }`,
    `set -- ${argv.map(quote).join(' ')}`,
  ].join('; ');
}

function programArguments(program: Program, bash: string | null): { readonly argv: readonly string[]; readonly piped: string | undefined } {
  const commandShell = bash ?? '/bin/sh';
  if (program.kind === 'script') {
    const shell = program.inCommandShell ? commandShell : '/bin/sh';
    return { argv: [shell, '-c', program.text, 'petasos', ...program.args], piped: program.piped };
  }
  if (Buffer.byteLength(program.text) <= argumentLimit)
    return { argv: [commandShell, ...commandFlag(program.text), program.text], piped: undefined };
  return { argv: [commandShell, '-c', evaluatePiped], piped: program.text };
}

/** A text that begins like an option is one for the shell, unless options have ended. */
function commandFlag(text: string): readonly string[] {
  return /^[-+]/.test(text) ? ['-c', '--'] : ['-c'];
}
