import { randomBytes } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../core/index.js';
import type { Sandbox } from './sandbox.js';

/** Signed preview URLs: each one an address of its own that answers what listens in the sandbox, until it expires. */
export class Previews {
  readonly #clock: Clock;
  readonly #servers = new Map<string, { close(): void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async open(sandbox: Sandbox, port: number, seconds: number): Promise<{ readonly token: string; readonly url: string }> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => socket.destroy());
      if (!sandbox.box.up || sandbox.box.offline) return void socket.destroy();
      const inside = connect(port, '127.0.0.1');
      inside.on('error', () => socket.destroy());
      socket.once('close', () => inside.destroy());
      socket.pipe(inside).pipe(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const token = randomBytes(8).toString('hex');
    this.#servers.set(token, { close: () => closeAll(server, sockets) });
    this.#clock.after(seconds * 1000, () => this.expire(token));
    return { token, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  expire(token: string): void {
    this.#servers.get(token)?.close();
    this.#servers.delete(token);
  }

  close(): void {
    for (const server of this.#servers.values()) server.close();
  }
}

function closeAll(server: Server, sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) socket.destroy();
  server.close();
}
