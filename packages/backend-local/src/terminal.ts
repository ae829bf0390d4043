import { createRequire } from 'node:module';
import { PassThrough, Writable } from 'node:stream';
import { type DriverExit, type DriverTerminal, type TerminalRequest, unsupported } from '@petasos/core/backend';

const require = createRequire(import.meta.url);
const packageName = '@lydell/node-pty';

/** Whether the optional terminal package and its prebuilt part for this platform are installed. */
export function terminalAvailable(): boolean {
  try {
    const main = require.resolve(packageName);
    createRequire(main).resolve(`${packageName}-${process.platform}-${process.arch}/package.json`);
    return true;
  } catch {
    return false;
  }
}

export async function openTerminal(
  request: TerminalRequest,
  workdir: string,
  base: Readonly<Record<string, string>>,
): Promise<DriverTerminal> {
  if (!terminalAvailable()) throw unsupported('local', 'terminal', 'terminal');
  const pty = await import('@lydell/node-pty');
  const [program, ...args] = request.argv;
  const terminal = pty.spawn(program, args, {
    cols: request.columns,
    rows: request.rows,
    cwd: request.cwd ?? workdir,
    env: { ...base, ...request.env },
    encoding: null,
  });
  const output = new PassThrough();
  terminal.onData((data: string | Buffer) => {
    if (!output.write(data)) {
      terminal.pause();
      output.once('drain', () => terminal.resume());
    }
  });
  const input = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      terminal.write(chunk.toString('utf8'));
      callback();
    },
  });
  const exited = new Promise<DriverExit>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      output.end();
      resolve(signal ? { exitCode: null, signal: String(signal) } : { exitCode });
    });
  });
  return {
    input,
    output,
    exited,
    resize: (columns, rows) => terminal.resize(columns, rows),
    kill: () => terminal.kill('SIGKILL'),
  };
}
