import { isAscii } from 'node:buffer';
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

/**
 * The engine's scripts that one lane has been given. A shell reads its input byte by byte, so a script is sent once and a variable of the
 * lane's shell stands for it afterwards.
 */
export class HeldScripts {
  readonly #variables = new Map<string, string>();

  /** The variable that stands for a script, and the code that must come before its first use. */
  refer(text: string): { readonly variable: string; readonly definition: readonly string[] } {
    const known = this.#variables.get(text);
    if (known !== undefined) return { variable: known, definition: [] };
    const variable = `petasos_script_${this.#variables.size + 1}`;
    this.#variables.set(text, variable);
    return { variable, definition: [`${variable}=${quote(text)}`] };
  }
}

/** One line of shell code that sets up everything `command.sh` needs. Whoever evaluates one after the other gives what it holds. */
export function encodeMessage(message: Message, bash: string | null, held?: HeldScripts): string {
  const { program, input } = message;
  const { argv, piped } = programArguments(program, bash);
  const script = program.kind === 'script' ? held?.refer(program.text) : undefined;
  const words = argv.map((word) => (script && program.kind === 'script' && word === program.text ? `"$${script.variable}"` : quote(word)));
  const data = input.kind === 'data' ? escapeForPrintf(input.bytes ?? new Uint8Array()) : (input.path ?? '');
  const env = exportCode(message.env);
  // A shell reads its input byte by byte: what is not needed is not said. command.sh has the defaults.
  return [
    ...(script?.definition ?? []),
    `petasos_nonce=${message.nonce}`,
    ...(message.cwd ? [`petasos_cwd=${quote(message.cwd)}`] : []),
    ...(input.kind === 'none' ? [] : [`petasos_in=${input.kind}`]),
    ...(data === '' ? [] : [`petasos_data=${quote(data)}`]),
    ...(piped === undefined ? [] : [`petasos_text=${quote(piped)}`]),
    ...(message.note ? [`petasos_note=${quote(message.note)}`] : []),
    ...(message.acknowledge ? ['petasos_ack=1'] : []),
    ...(env === '' ? [] : [`petasos_env() { ${env} }`]),
    `set -- ${words.join(' ')}`,
  ].join('; ');
}

function programArguments(program: Program, bash: string | null): { readonly argv: readonly string[]; readonly piped: string | undefined } {
  const commandShell = shellArguments(bash);
  if (program.kind === 'script') {
    const shell = program.inCommandShell ? commandShell : ['/bin/sh'];
    return { argv: [...shell, '-c', program.text, 'petasos', ...program.args], piped: program.piped };
  }
  if (Buffer.byteLength(program.text) <= argumentLimit)
    return { argv: [...commandShell, ...commandFlag(program.text), program.text], piped: undefined };
  return { argv: [...commandShell, '-c', evaluatePiped], piped: program.text };
}

/** The shell of commands. Bash that takes itself for one of a remote login would read `~/.bashrc` first. */
export function shellArguments(bash: string | null): readonly [string, ...string[]] {
  return bash === null ? ['/bin/sh'] : [bash, '--norc'];
}

/** A text that begins like an option is one for the shell, unless options have ended. */
function commandFlag(text: string): readonly string[] {
  return /^[-+]/.test(text) ? ['-c', '--'] : ['-c'];
}

/** Bytes of a line with its end, or 0: a shell that takes many at once counts characters, in whatever its locale takes for one. */
export function sizeOf(line: string): number {
  return isAscii(Buffer.from(line)) ? line.length + 1 : 0;
}
