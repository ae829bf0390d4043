import pty from '@lydell/node-pty';
import { type DriverTerminal, ptyTerminal } from '@petasos/core/backend';
import type { WebSocket } from 'ws';
import type { Box } from '../core/index.js';
import { daemonProblem } from './problem.js';

interface Terminal {
  readonly id: string;
  readonly process: DriverTerminal;
  readonly cwd: string;
  readonly createdAt: string;
  readonly watching: Set<WebSocket>;
  columns: number;
  rows: number;
}

export interface PtyRequest {
  readonly id: string;
  readonly columns: number;
  readonly rows: number;
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** The terminals of one sandbox: each runs a login shell. */
export class Ptys {
  readonly #box: Box;
  readonly #terminals = new Map<string, Terminal>();

  constructor(box: Box) {
    this.#box = box;
  }

  create(request: PtyRequest): void {
    if (this.#terminals.has(request.id)) throw daemonProblem(409, `PTY session ${request.id} already exists`);
    const cwd = request.cwd ?? this.#box.tree.workdir;
    const [program, ...args] = this.#box.enter(['bash', '-l'], cwd);
    const process = ptyTerminal(
      pty.spawn(program, args, {
        cols: request.columns,
        rows: request.rows,
        env: { TERM: 'xterm-256color', ...this.#box.env, ...request.env },
        encoding: null,
      }),
    );
    const terminal: Terminal = {
      id: request.id,
      process,
      cwd,
      createdAt: new Date().toISOString(),
      watching: new Set(),
      columns: request.columns,
      rows: request.rows,
    };
    this.#terminals.set(request.id, terminal);
    process.output.on('data', (data: Buffer) => {
      for (const socket of terminal.watching) socket.send(data, { binary: true });
    });
    process.output.once('end', async () => {
      const { exitCode, signal } = await process.exited;
      this.#terminals.delete(request.id);
      const end = exitCode === null ? { exitCode: 128 + Number(signal), exitReason: `signal ${signal}` } : { exitCode };
      for (const socket of terminal.watching) {
        socket.send(JSON.stringify({ type: 'control', status: 'exited', ...end }));
        socket.close(1000, JSON.stringify(end));
      }
    });
  }

  attach(id: string, socket: WebSocket): void {
    const terminal = this.#terminals.get(id);
    if (terminal === undefined) {
      socket.send(JSON.stringify({ type: 'control', status: 'error', error: `PTY session ${id} not found` }));
      socket.close(1000);
      return;
    }
    terminal.watching.add(socket);
    socket.on('close', () => terminal.watching.delete(socket));
    socket.on('message', (data: Buffer) => terminal.process.input.write(data));
    socket.send(JSON.stringify({ type: 'control', status: 'connected' }));
  }

  list(): Record<string, unknown>[] {
    return [...this.#terminals.keys()].map((id) => this.describe(id));
  }

  describe(id: string): Record<string, unknown> {
    const { columns, rows, cwd, createdAt } = this.#get(id);
    return { id, active: true, cols: columns, rows, cwd, envs: {}, createdAt, lazyStart: false };
  }

  resize(id: string, columns: number, rows: number): void {
    const terminal = this.#get(id);
    terminal.process.resize(columns, rows);
    terminal.columns = columns;
    terminal.rows = rows;
  }

  kill(id: string): void {
    this.#get(id).process.kill();
  }

  clear(): void {
    for (const { process, watching } of this.#terminals.values()) {
      for (const socket of watching) socket.terminate();
      process.kill();
    }
    this.#terminals.clear();
  }

  #get(id: string): Terminal {
    const terminal = this.#terminals.get(id);
    if (terminal === undefined) throw daemonProblem(404, `PTY session ${id} not found`);
    return terminal;
  }
}
