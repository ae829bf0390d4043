import { execLine } from '@petasos/core/backend';

/**
 * What the user's login shell is asked to run, whichever it is: plain words and one quoted text that bash, dash, fish, csh and their
 * restricted forms read alike. The program itself comes as the first line of its input, where no shell's quoting, no limit on
 * arguments and no list of processes meets it.
 */
export const bootCommand = `sh -c 'IFS= read -r petasos_boot && eval "$petasos_boot"'`;

/** The same on a terminal, which must neither echo that line, nor cut it, nor take a character in it for a signal. */
export function terminalBootCommand(ready: string): string {
  return `sh -c 's=$(stty -g); stty raw -echo; echo ${ready}; IFS= read -r petasos_boot; stty $s; eval "$petasos_boot"'`;
}

export interface BootRequest {
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** POSIX shell code that runs first; it may exit. */
  readonly before?: string | undefined;
  /** Whether the program goes on to read what follows; else it reads end of file. */
  readonly stdin: boolean;
}

export function bootLine({ argv, env, cwd, before, stdin }: BootRequest): string {
  const first = before === undefined ? '' : `${before}; `;
  return `${first}unset petasos_boot; ${execLine(argv, { env, cwd })}${stdin ? '' : ' </dev/null'}\n`;
}
