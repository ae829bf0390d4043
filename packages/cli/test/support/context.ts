import { userPaths } from '../../src/config/paths.js';
import type { Context } from '../../src/session/context.js';
import { styleFor } from '../../src/ui/style.js';

/** The surroundings of an invocation whose files are all below `home`. */
export function contextIn(home: string, given: { sandbox?: string; env?: Record<string, string> } = {}): Context {
  const env = { HOME: home, ...given.env };
  return {
    env,
    cwd: home,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    paths: userPaths(env),
    sandbox: given.sandbox,
    verbose: false,
    json: false,
    allCommands: async () => [],
    style: (stream) => styleFor(stream, env),
  };
}
