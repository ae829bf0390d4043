import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { type Fault, HttpProblem, type LoggedRequest } from '../core/index.js';
import { followLog } from './log-stream.js';
import type { Sandbox } from './sandbox.js';
import { requireUp } from './toolbox.js';

const environmentProtocol = 'X-Daytona-Pty-Envs~';

/** Upgrades of one sandbox's toolbox: log streams and terminals. */
export class ToolboxSockets {
  readonly #server = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });

  accept(
    sandbox: Sandbox,
    path: string,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    logged: LoggedRequest,
    fault?: Fault,
  ): void {
    if (fault?.kind === 'stall') return;
    if (fault?.kind === 'reset') {
      socket.destroy();
      return;
    }
    if (fault?.kind === 'status') {
      refuse(socket, logged, fault.status);
      return;
    }
    const query = new URL(request.url ?? '/', 'http://emulator').searchParams;
    const log = /^\/process\/session\/([^/]+)\/command\/([^/]+)\/logs$/.exec(path);
    const attach = /^\/process\/pty\/([^/]+)\/connect$/.exec(path);
    try {
      requireUp(sandbox);
      if (log) {
        const command = sandbox.sessions.command(decodeURIComponent(log[1] ?? ''), log[2] ?? '');
        this.#upgrade(request, socket, head, logged, (open) => void followLog(sandbox.sessions, command, open, fault));
      } else if (path === '/process/pty/create-connect') {
        const id = query.get('id') ?? '';
        sandbox.ptys.create({
          id,
          columns: Number(query.get('cols') ?? 80),
          rows: Number(query.get('rows') ?? 24),
          cwd: query.get('cwd') ?? undefined,
          env: environment(request),
        });
        this.#upgrade(request, socket, head, logged, (open) => sandbox.ptys.attach(id, open));
      } else if (attach) this.#upgrade(request, socket, head, logged, (open) => sandbox.ptys.attach(attach[1] ?? '', open));
      else refuse(socket, logged, 404);
    } catch (error) {
      refuse(socket, logged, error instanceof HttpProblem ? error.status : 500);
    }
  }

  #upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    logged: LoggedRequest,
    ready: (open: import('ws').WebSocket) => void,
  ): void {
    logged.status = 101;
    this.#server.handleUpgrade(request, socket, head, ready);
  }
}

function environment(request: IncomingMessage): Record<string, string> {
  const offered = String(request.headers['sec-websocket-protocol'] ?? '').split(/, */);
  const encoded = offered.find((one) => one.startsWith(environmentProtocol))?.slice(environmentProtocol.length);
  return encoded === undefined ? {} : (JSON.parse(Buffer.from(encoded, 'base64url').toString()) as Record<string, string>);
}

function refuse(socket: Duplex, logged: LoggedRequest, status: number): void {
  logged.status = status;
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
