import type { Sandbox } from '@petasos/core';
import { commandStatus } from './command-status.js';
import type { Context } from './context.js';

/** Connects this terminal with one in the sandbox. However it ends, this terminal is given back as it was. */
export async function runTerminal(context: Context, sandbox: Sandbox, cwd: string | undefined): Promise<number> {
  const { stdin, stdout } = context;
  const terminal = await sandbox.terminal({ columns: stdout.columns, rows: stdout.rows, cwd });
  const restore = () => {
    if (stdin.isRaw) stdin.setRawMode(false);
  };
  const resize = () => terminal.resize(stdout.columns, stdout.rows);
  const hangUp = () => terminal.kill();
  process.once('exit', restore);
  process.on('SIGTERM', hangUp);
  process.on('SIGHUP', hangUp);
  stdout.on('resize', resize);
  try {
    stdin.setRawMode(true);
    terminal.input.on('error', () => stdin.unpipe(terminal.input));
    stdin.pipe(terminal.input);
    terminal.output.pipe(stdout, { end: false });
    const end = await terminal.exited;
    const { status, message } = commandStatus(end, {}, sandbox.backend);
    if (message !== undefined) context.stderr.write(`\r\npetasos: ${message}.\r\n`);
    return status;
  } finally {
    restore();
    stdin.unpipe(terminal.input);
    stdin.pause();
    stdout.off('resize', resize);
    process.off('exit', restore);
    process.off('SIGTERM', hangUp);
    process.off('SIGHUP', hangUp);
  }
}
