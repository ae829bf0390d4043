import { randomBytes } from 'node:crypto';
import { type DriverTerminal, endProcessesArguments, type TerminalRequest } from '@petasos/core/backend';
import type { Engine } from './engine/engine.js';
import { observeExit, startProcess } from './process.js';

/** Older engines cannot be told a size before the program runs, and it may look at once. */
const sized = 'stty rows "$1" cols "$2" 2>/dev/null; shift 2; exec "$@"';

/** A process on a terminal of its own in the container. */
export async function openTerminal(
  engine: Engine,
  container: { readonly id: string; readonly name: string },
  request: TerminalRequest,
  env: Readonly<Record<string, string>>,
): Promise<DriverTerminal> {
  // What descends from it carries this, wherever it goes: a terminal that is closed at this end ends nothing at the other.
  const cookie = randomBytes(16).toString('hex');
  const variables = { ...env, ...request.env, PETASOS_TERMINAL: cookie };
  const exec = await engine.createExec(container.id, {
    argv: ['/bin/sh', '-c', sized, 'petasos-terminal', String(request.rows), String(request.columns), ...request.argv],
    stdin: true,
    tty: true,
    env: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    cwd: request.cwd,
  });
  const socket = await engine.startExec(exec, true);
  socket.on('error', () => {});
  let killed = false;
  const exited = observeExit(engine, container, exec, socket).then(
    (exit) => (killed ? { exitCode: null, signal: 'SIGKILL' } : exit),
    (error: unknown) => {
      if (killed) return { exitCode: null, signal: 'SIGKILL' };
      throw error;
    },
  );
  exited.catch(() => {});
  return {
    input: socket,
    output: socket,
    exited,
    resize(columns, rows) {
      // One that has ended meanwhile has no size.
      engine.resizeExec(exec, columns, rows).catch(() => {});
    },
    kill() {
      if (killed) return;
      killed = true;
      const end = async () => {
        const process = await startProcess(engine, container, { argv: endProcessesArguments(cookie, 0), stdin: false }, {});
        process.stdout.resume();
        process.stderr?.resume();
        await process.exited;
      };
      end()
        .catch(() => {})
        .finally(() => socket.destroy());
    },
  };
}
