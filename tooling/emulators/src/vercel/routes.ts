import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { HttpProblem } from '../core/index.js';
import { newId, type Sandbox } from './account.js';

/** A port of a sandbox that answers at an address of its own. */
export interface Route {
  readonly url: string;
  readonly subdomain: string;
  readonly port: number;
  close(): Promise<void>;
}

const mostPorts = 15;

/** Makes the sandbox's routes exactly these. */
export async function setRoutes(sandbox: Sandbox, ports: readonly number[]): Promise<void> {
  if (ports.length > mostPorts) throw new HttpProblem(400, `at most ${mostPorts} ports`, { code: 'bad_request' });
  for (const [port, route] of sandbox.routes) {
    if (ports.includes(port)) continue;
    sandbox.routes.delete(port);
    await route.close();
  }
  for (const port of ports) if (!sandbox.routes.has(port)) sandbox.routes.set(port, await openRoute(port));
}

async function openRoute(port: number): Promise<Route> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const inside = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [socket, inside],
      [inside, socket],
    ] as const) {
      sockets.add(from);
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port,
    subdomain: newId('sb').replace('_', '-'),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
