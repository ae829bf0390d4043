import { createRequire } from 'node:module';
import { type DriverTerminal, ptyTerminal, type TerminalRequest, unsupported } from '@petasos/core/backend';

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
  return ptyTerminal(terminal);
}
