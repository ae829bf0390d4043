import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import pty from '@lydell/node-pty';
import { type DriverTerminal, ptyTerminal } from '@petasos/core/backend';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Exchange } from '../core/index.js';
import type { Account, Sandbox } from './account.js';

interface Start {
  readonly type: 'start';
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly string[];
  readonly cwd?: string;
  readonly cols?: number;
  readonly rows?: number;
}

/** Terminals over WebSockets, as the public CLI speaks to them. */
export class Terminals {
  readonly #account: Account;
  readonly #server = new WebSocketServer({ noServer: true });
  /** Tokens are good for one terminal each. */
  readonly #tokens = new Map<string, Sandbox>();

  constructor(account: Account) {
    this.#account = account;
  }

  async admit(exchange: Exchange, sessionId: string, address: string): Promise<void> {
    await exchange.bytes();
    const { sandbox } = this.#account.live(sessionId);
    const token = randomBytes(16).toString('hex');
    this.#tokens.set(token, sandbox);
    await exchange.reply(200, { url: `${address.replace(/^http/, 'ws')}/interactive/${sessionId}`, token });
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const token = new URL(request.url ?? '/', 'http://emulator').searchParams.get('token') ?? '';
    const sandbox = this.#tokens.get(token);
    if (sandbox === undefined || !this.#tokens.delete(token) || !sandbox.box.up) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (open) => serve(sandbox, open));
  }
}

/** The first text says what to run; it ends with the connection, and the connection with it. */
function serve({ box }: Sandbox, socket: WebSocket): void {
  let process: DriverTerminal | undefined;
  socket.on('message', (data: Buffer, binary: boolean) => {
    if (binary) {
      process?.input.write(data);
      return;
    }
    const message = JSON.parse(data.toString('utf8')) as Start | { readonly type: 'resize'; readonly cols: number; readonly rows: number };
    if (message.type === 'resize') process?.resize(message.cols, message.rows);
    else process ??= start(box, message, socket);
  });
  socket.on('close', () => process?.kill());
  socket.on('error', () => socket.terminate());
}

function start(box: Sandbox['box'], { command, args = [], env = [], cwd, cols = 80, rows = 24 }: Start, socket: WebSocket): DriverTerminal {
  // A session of its own: what the keyboard interrupts must not be the program that has entered the sandbox.
  const [program, ...rest] = box.enter(['setsid', '--ctty', '--wait', command, ...args], cwd ?? box.tree.workdir);
  const variables = Object.fromEntries(env.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]));
  const process = ptyTerminal(pty.spawn(program, rest, { cols, rows, env: { ...box.env, ...variables }, encoding: null }));
  process.output.on('data', (data: Buffer) => socket.send(data, { binary: true }));
  process.output.once('end', async () => {
    const { exitCode, signal } = await process.exited;
    if (!box.up) {
      socket.terminate();
      return;
    }
    socket.send(JSON.stringify({ type: 'exit', code: exitCode ?? 128 + Number(signal) }));
    socket.close(1000);
  });
  return process;
}
