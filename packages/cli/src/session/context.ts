import type { AnyCommand, CommandGroup } from '../args/command.js';
import { type UserPaths, userPaths } from '../config/paths.js';
import { type Style, styleFor } from '../ui/style.js';

/** What one invocation has around it. Handed to every command, so that nothing reads globals on the side. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly paths: UserPaths;
  /** The place named on the command line. */
  readonly sandbox: string | undefined;
  readonly verbose: boolean;
  readonly json: boolean;
  /** Every command of the CLI, for completions. */
  allCommands(): Promise<readonly (AnyCommand | CommandGroup)[]>;
  style(stream: { readonly isTTY?: boolean | undefined }): Style;
}

export interface GlobalFlags {
  readonly sandbox: string | undefined;
  readonly verbose: boolean;
  readonly json: boolean;
  allCommands?(): Promise<readonly (AnyCommand | CommandGroup)[]>;
}

export function createContext(flags: GlobalFlags): Context {
  const env = process.env;
  return {
    env,
    cwd: currentDirectory(env),
    // Looking at stdin sets up a stream for it, which commands that never read it need not pay for.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    paths: userPaths(env),
    allCommands: async () => [],
    ...flags,
    style: (stream) => styleFor(stream, env),
  };
}

/** A directory that was removed under us still has a name: the place then says that it is missing, if it matters. */
function currentDirectory(env: Context['env']): string {
  try {
    return process.cwd();
  } catch {
    return env.PWD ?? '/';
  }
}
