import { randomBytes } from 'node:crypto';
import { type DriverExit, type DriverTerminal, endProcessesArguments, type TerminalRequest } from '@petasos/core/backend';
import type { Sandbox } from 'modal';
import { execute } from './process.js';
import { readable, writable } from './streams.js';

/**
 * Modal's terminals have 24 lines of 80 characters and the SDK cannot change that; stty can, from inside.
 * $1 columns, $2 rows, $3 the directory; then program and arguments.
 */
const start = `stty cols "$1" rows "$2" 2>/dev/null
cd -- "$3" || exit 126
shift 3
exec "$@"`;

/** $1 the terminal's mark, $2 columns, $3 rows. The terminal is the one that a process with the mark has as its input. */
const resize = `for p in $(grep -l "PETASOS_TERMINAL=$1" /proc/[0-9]*/environ 2>/dev/null); do
  stty cols "$2" rows "$3" <"\${p%environ}fd/0" 2>/dev/null && exit 0
done`;

/** How long the last output may be behind the end. */
const drainMs = 500;

export async function openTerminal(sandbox: Sandbox, request: TerminalRequest, workdir: string): Promise<DriverTerminal> {
  const mark = randomBytes(12).toString('hex');
  const size = [String(request.columns), String(request.rows)];
  const child = await execute(sandbox, ['/bin/sh', '-c', start, 'petasos-terminal', ...size, request.cwd ?? workdir, ...request.argv], {
    env: { ...request.env, PETASOS_TERMINAL: mark },
    pty: true,
  });
  const output = readable(child.stdout);
  const input = writable(child.stdin);
  input.on('error', () => {});
  output.on('error', () => {});
  const letGo = new AbortController();
  let killed = false;
  const exited = child._wait(letGo.signal).then(
    async (exitCode): Promise<DriverExit> => {
      await Promise.race([
        new Promise((resolve) => output.once('close', resolve)),
        new Promise((resolve) => setTimeout(resolve, drainMs).unref()),
      ]);
      return killed ? { exitCode: null, signal: 'SIGKILL' } : { exitCode };
    },
    (): DriverExit => ({ exitCode: null }),
  );
  const inside = (argv: readonly string[]) => execute(sandbox, argv).then((helper) => helper.wait());
  return {
    input,
    output,
    exited,
    resize(columns, rows) {
      inside(['/bin/sh', '-c', resize, 'petasos-resize', mark, String(columns), String(rows)]).catch(() => {});
    },
    kill() {
      if (killed) return;
      killed = true;
      // Everything that was started in it carries its mark.
      inside(endProcessesArguments(mark, 0))
        .catch(() => {})
        .finally(() => {
          // What has not ended by now is out of reach.
          setTimeout(() => letGo.abort(), drainMs).unref();
        });
    },
  };
}
