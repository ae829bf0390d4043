import type { Interface } from 'node:readline';
import type { Sandbox, Shell, ShellExecOptions, ShellResult } from '@petasos/core';
import { exitStatus } from '../ui/exit-status.js';
import { describeError, errorLine } from '../ui/report-error.js';
import { oneLine } from '../ui/text.js';
import { commandStatus } from './command-status.js';
import type { Context } from './context.js';
import { signalStatus } from './signals.js';

export interface PlainShellOptions {
  readonly cwd: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly graceMs: number | undefined;
}

/** In a session, `exit` ends a command and not the session; a person at a prompt means the prompt. */
const leaveLine = /^\s*(?:exit|logout)(?:\s+(\d{1,3}))?\s*;?\s*$/;

/**
 * Runs line after line in one session. On a terminal it prompts; from a pipe it says nothing of its own.
 * @returns the status of the last line, or the one that `exit` names
 */
export async function runPlainShell(context: Context, sandbox: Sandbox, options: PlainShellOptions): Promise<number> {
  const interactive = context.stdin.isTTY === true;
  const shell = sandbox.shell(`cli-${process.pid}`, { cwd: options.cwd });
  const { createInterface } = await import('node:readline');
  const lines = createInterface({
    input: context.stdin,
    output: context.stderr,
    terminal: interactive,
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  const session = new LineSession(context, sandbox, shell, options);
  const stopWatching = interactive ? watchKeys(lines, session, context) : watchSignals(lines, session);
  try {
    if (interactive) await session.run(':');
    session.prompt(lines, interactive);
    for await (const line of lines) {
      const leave = leaveLine.exec(line);
      if (leave) return leave[1] === undefined ? session.status : Number(leave[1]) & 0xff;
      if (line.trim() !== '') await session.run(line);
      if (session.over) break;
      session.prompt(lines, interactive);
    }
    return session.status;
  } finally {
    stopWatching();
    lines.close();
    await shell.close().catch(() => undefined);
  }
}

class LineSession {
  status: number = exitStatus.ok;
  /** The place is gone, or a signal asked to end: no further line is run. */
  over = false;
  #running: AbortController | undefined;
  #cwd = '';

  constructor(
    private readonly context: Context,
    private readonly sandbox: Sandbox,
    private readonly shell: Shell,
    private readonly options: PlainShellOptions,
  ) {}

  async run(line: string): Promise<void> {
    const stop = new AbortController();
    this.#running = stop;
    const { stdout, stderr } = this.context;
    const limits: ShellExecOptions = { timeoutMs: this.options.timeoutMs, graceMs: this.options.graceMs, signal: stop.signal };
    try {
      const result = await this.shell.exec(line, {
        ...limits,
        onStdout: (chunk) => void stdout.write(chunk),
        onStderr: (chunk) => void stderr.write(chunk),
      });
      this.#take(result);
    } catch (error) {
      const report = describeError(error);
      stderr.write(`${errorLine(report)}\n`);
      this.status = report.status;
      // A line that was refused leaves the session as it was; a place that failed leaves nothing to go on with.
      this.over ||= report.status === exitStatus.placeFailed;
    } finally {
      this.#running = undefined;
    }
  }

  #take(result: ShellResult): void {
    const { status, message } = commandStatus(result, this.options, this.sandbox.backend);
    if (!this.over) this.status = status;
    this.#cwd = result.cwd;
    const notes = [
      message,
      result.restarted ? 'the session had to be started again; its directory and exported variables were kept' : undefined,
      result.cwdFallback === undefined ? undefined : `the directory is gone; the line ran in ${oneLine(result.cwdFallback)}`,
    ];
    for (const note of notes) if (note !== undefined) this.context.stderr.write(`petasos: ${note}.\n`);
    this.over ||= result.ended === 'disconnected' || result.ended === 'destroyed';
  }

  /** @returns whether something was running */
  interrupt(): boolean {
    this.#running?.abort();
    return this.#running !== undefined;
  }

  end(status: number): void {
    this.status = status;
    this.over = true;
    this.interrupt();
  }

  prompt(lines: Interface, interactive: boolean): void {
    if (!interactive) return;
    lines.setPrompt(`${this.sandbox.backend}:${oneLine(this.#cwd)}$ `);
    lines.prompt();
  }
}

/** At a prompt Ctrl-C ends the running line, else it empties the one being typed. */
function watchKeys(lines: Interface, session: LineSession, context: Context): () => void {
  lines.on('SIGINT', () => {
    if (session.interrupt()) return;
    context.stderr.write('^C\n');
    lines.write(null, { ctrl: true, name: 'u' });
    session.prompt(lines, true);
  });
  lines.on('close', () => context.stderr.write('\n'));
  return () => lines.removeAllListeners('close');
}

function watchSignals(lines: Interface, session: LineSession): () => void {
  const listener = (signal: NodeJS.Signals) => {
    session.end(signalStatus(signal));
    lines.close();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
