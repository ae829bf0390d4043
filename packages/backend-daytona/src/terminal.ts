import { randomUUID } from 'node:crypto';
import { PassThrough, Writable } from 'node:stream';
import { type DriverExit, type DriverTerminal, PetasosError, type TerminalRequest } from '@petasos/core/backend';
import { quote } from './calls.js';
import type { Sandbox } from './client.js';
import { asPetasosError } from './errors.js';

/**
 * A Daytona terminal always runs a login shell. It is told to become the program, whose arguments travel in a variable; what the shell
 * says until then, the echo of that line included, is not shown, and what is typed until then waits: the shell would read ahead of its
 * line and take the rest with it.
 */
export async function openTerminal(sandbox: Sandbox, name: string, request: TerminalRequest): Promise<DriverTerminal> {
  const id = `petasos-${randomUUID()}`;
  const [first, second] = [randomUUID(), randomUUID()];
  const output = new PassThrough();
  let begun: () => void = () => {};
  const beginning = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const screen = hideUntil(Buffer.from(`${first}${second}\r\n`), begun, (bytes) => output.write(bytes));
  const context = { operation: 'terminal', sandbox: name };
  const handle = await sandbox.process
    .createPty({
      id,
      cols: request.columns,
      rows: request.rows,
      ...(request.cwd !== undefined && { cwd: request.cwd }),
      envs: { ...request.env, PETASOS_TERMINAL: request.argv.map(quote).join(' ') },
      onData: (bytes) => screen(Buffer.from(bytes)),
    })
    .catch((error: unknown) => {
      throw asPetasosError(error, context);
    });
  await handle.sendInput(`p=$PETASOS_TERMINAL; unset PETASOS_TERMINAL; printf '%s%s\\n' ${first} ${second}; eval "exec $p"\n`);

  const exited = handle.wait().then(({ exitCode }): DriverExit => {
    output.end();
    if (exitCode === undefined)
      throw new PetasosError('disconnected', `the terminal of ${name} of daytona was cut off`, {
        backend: 'daytona',
        operation: 'terminal',
      });
    return exitCode > 128 && killed ? { exitCode: null, signal: 'SIGKILL' } : { exitCode };
  });
  exited.catch(() => {}).finally(begun);
  let killed = false;
  return {
    input: new Writable({
      write(chunk: Buffer, _encoding, callback) {
        beginning.then(() => handle.sendInput(chunk)).then(() => callback(), callback);
      },
    }),
    output,
    exited,
    resize: (columns, rows) => void handle.resize(columns, rows).catch(() => {}),
    kill() {
      killed = true;
      handle.kill().catch(() => handle.disconnect());
    },
  };
}

/** Passes on what comes behind `mark`, of which it tells. */
function hideUntil(mark: Buffer, begun: () => void, show: (bytes: Buffer) => void): (bytes: Buffer) => void {
  let held: Buffer | undefined = Buffer.alloc(0);
  return (bytes) => {
    if (held === undefined) return show(bytes);
    held = Buffer.concat([held, bytes]);
    const at = held.indexOf(mark);
    if (at === -1) return;
    const rest = held.subarray(at + mark.length);
    held = undefined;
    begun();
    if (rest.length > 0) show(rest);
  };
}
