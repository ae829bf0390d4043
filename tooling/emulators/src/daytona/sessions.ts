import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Box, BoxProcess } from '../core/index.js';
import type { DaytonaKnobs } from './knobs.js';
import { daemonProblem } from './problem.js';

export const stdoutMarker = Buffer.from([1, 1, 1]);
const stderrMarker = Buffer.from([2, 2, 2]);

/** One command of a session; what it wrote, what it reads and how it ended are files in the sandbox. */
export interface SessionCommand {
  readonly id: string;
  readonly command: string;
  /** Path inside the sandbox. */
  readonly directory: string;
  readonly echo: boolean;
}

interface Session {
  readonly id: string;
  readonly shell: BoxProcess;
  readonly commands: Map<string, SessionCommand>;
}

/**
 * Sessions as the open daemon has them: every command is read by ONE shell, its output passes through a loop that reads lines. So `exit`
 * in a command ends the shell of all, no exit code is ever written then, NUL bytes vanish and a last line gains a newline.
 */
export class Sessions {
  readonly #box: Box;
  readonly #knobs: DaytonaKnobs;
  readonly #sessions = new Map<string, Session>();

  constructor(box: Box, knobs: DaytonaKnobs) {
    this.#box = box;
    this.#knobs = knobs;
  }

  create(id: string): void {
    if (this.#sessions.has(id)) throw daemonProblem(409, `session ${id} already exists`);
    const shell = this.#box.spawn({ argv: ['bash', '--norc'] });
    this.#sessions.set(id, { id, shell, commands: new Map() });
  }

  list(): Record<string, unknown>[] {
    return [...this.#sessions.values()].map((session) => this.describe(session.id));
  }

  describe(id: string): Record<string, unknown> {
    const session = this.#get(id);
    return { sessionId: id, commands: [...session.commands.values()].map((command) => this.record(command)) };
  }

  /** Ends the shell and everything that it started, also what left its process group. */
  async remove(id: string): Promise<void> {
    const session = this.#get(id);
    this.#sessions.delete(id);
    const cookie = `DAYTONA_SESSION=${id}`;
    const end = `for p in /proc/[0-9]*; do grep -qzsx -- "$1" "$p/environ" && kill -KILL "\${p#/proc/}"; done`;
    session.shell.kill();
    await this.#box.spawn({ argv: ['bash', '-c', end, 'end', cookie] }).closed;
  }

  clear(): void {
    this.#sessions.clear();
  }

  async start(
    id: string,
    text: string,
    options: { readonly async: boolean; readonly suppressInputEcho: boolean },
  ): Promise<SessionCommand> {
    const session = this.#get(id);
    const command: SessionCommand = {
      id: randomUUID(),
      command: text,
      directory: `/tmp/.daytona/sessions/${id}/${session.commands.size}`,
      echo: !options.suppressInputEcho,
    };
    session.commands.set(command.id, command);
    await mkdir(this.file(command, ''), { recursive: true });
    const open = options.async && this.#knobs.openStdin;
    await this.#box.spawn({ argv: ['mkfifo', `${command.directory}/input`] }).closed;
    const body = this.#knobs.sessionShell === 'persistent' ? `{\n${text}\n}` : `bash -c ${quote(text)}`;
    const label = (marker: string) =>
      `while IFS= read -r line || [ -n "$line" ]; do printf '${marker}%s\\n' "$line"; done >>${quote(`${command.directory}/log`)}`;
    const input = open ? `<>${quote(`${command.directory}/input`)}` : '</dev/null';
    // The labels are written by others than the command: its end may be recorded before its last line.
    session.shell.stdin.write(
      `export DAYTONA_SESSION=${quote(id)}\n${body} ${input} > >(${label('\\001\\001\\001')}) 2> >(${label('\\002\\002\\002')})\n` +
        `echo $? >${quote(`${command.directory}/exit`)}\n`,
    );
    return command;
  }

  /** @throws 404 */
  command(sessionId: string, commandId: string): SessionCommand {
    const command = this.#get(sessionId).commands.get(commandId);
    if (command === undefined) throw daemonProblem(404, `command ${commandId} not found`, 'PROCESS_NOT_FOUND');
    return command;
  }

  record(command: SessionCommand): Record<string, unknown> {
    const exitCode = this.#knobs.exitRecords ? this.exitCode(command) : undefined;
    return { id: command.id, command: command.command, ...(exitCode !== undefined && { exitCode }) };
  }

  /** As the shell wrote it; never, when the shell is dead. */
  exitCode(command: SessionCommand): number | undefined {
    const text = readText(this.file(command, 'exit')).trim();
    return /^\d+$/.test(text) ? Number(text) : undefined;
  }

  logLength(command: SessionCommand): number {
    try {
      return statSync(this.file(command, 'log')).size;
    } catch {
      return 0;
    }
  }

  log(command: SessionCommand): Buffer {
    try {
      return readFileSync(this.file(command, 'log'));
    } catch {
      return Buffer.alloc(0);
    }
  }

  async input(command: SessionCommand, data: string): Promise<void> {
    if (this.exitCode(command) !== undefined) throw daemonProblem(410, 'command has already completed', 'COMMAND_ALREADY_COMPLETED');
    const line = `${data}\n`;
    if (command.echo) await appendFile(this.file(command, 'log'), Buffer.concat([stdoutMarker, Buffer.from(line)]));
    const fifo = openSync(this.file(command, 'input'), constants.O_RDWR | constants.O_NONBLOCK);
    writeSync(fifo, line);
    closeSync(fifo);
  }

  forget(command: SessionCommand): void {
    rmSync(this.file(command, ''), { recursive: true, force: true });
  }

  file(command: SessionCommand, name: string): string {
    return path.join(this.#box.tree.locate(command.directory), name);
  }

  #get(id: string): Session {
    const session = this.#sessions.get(id);
    if (session === undefined) throw daemonProblem(404, `session ${id} not found`);
    return session;
  }
}

/** The two streams of a log, told apart by the markers that begin each line. */
export function demultiplex(log: Buffer): { stdout: string; stderr: string; output: string } {
  const streams = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let at = 0;
  let side: keyof typeof streams | undefined;
  while (at < log.length) {
    const head = log.subarray(at, at + 3);
    if (head.equals(stdoutMarker) || head.equals(stderrMarker)) {
      side = head.equals(stdoutMarker) ? 'stdout' : 'stderr';
      at += 3;
      continue;
    }
    const next = [log.indexOf(stdoutMarker, at), log.indexOf(stderrMarker, at)].filter((found) => found >= 0);
    const end = next.length > 0 ? Math.min(...next) : log.length;
    if (side) streams[side].push(log.subarray(at, end));
    at = end;
  }
  const text = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString('utf8');
  const [stdout, stderr] = [text(streams.stdout), text(streams.stderr)];
  return { stdout, stderr, output: stdout + stderr };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
