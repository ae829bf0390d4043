import type { DriverProcess } from '@petasos/core/backend';

export interface RunOptions {
  /** Read by the program; without it, an immediate end of file. */
  readonly input?: string | undefined;
  /** After so many milliseconds the program is ended, and `exitCode` is null. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Each line of stderr as it comes. */
  readonly onLine?: ((line: string) => void) | undefined;
}

export interface Ran {
  /** Null when the program was ended or could not be started. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where command lines run: this machine, a login node, a node of an allocation. Words arrive as they are; no shell looks at them. */
export interface Machine {
  /** For messages. */
  readonly title: string;
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  spawn(argv: readonly string[], stdin: boolean): Promise<DriverProcess>;
}

/** The same machine with words in front of every command line: another user's, or a step of an allocation. */
export function behind(machine: Machine, words: readonly string[]): Machine {
  if (words.length === 0) return machine;
  return {
    title: machine.title,
    run: (argv, options) => machine.run([...words, ...argv], options),
    spawn: (argv, stdin) => machine.spawn([...words, ...argv], stdin),
  };
}

/** Runs a POSIX script whose arguments are `$1`, `$2` and so on. */
export function runScript(machine: Machine, script: string, args: readonly string[], options?: RunOptions): Promise<Ran> {
  return machine.run(['/bin/sh', '-c', script, 'petasos', ...args], options);
}
