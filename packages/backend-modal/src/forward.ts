import { createServer, type IncomingMessage, request as plain, type Server } from 'node:http';
import { request as encrypted } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { DriverForward } from '@petasos/core/backend';
import type { Sandbox } from 'modal';

/** A port with a tunnel of its own has a public URL. Any other is reached with a token, which stays in this process. */
export async function forwardPort(sandbox: Sandbox, port: number, publicPorts: readonly number[]): Promise<DriverForward> {
  if (publicPorts.includes(port)) {
    const tunnel = (await sandbox.tunnels())[port];
    if (tunnel) return { address: tunnel.url, async close() {} };
  }
  const { url, token } = await sandbox.createConnectToken({ port });
  const server = await serve(new URL(url), token);
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      if (!server.listening) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Passes requests on with the token that only their own server may see. */
async function serve(target: URL, token: string): Promise<Server> {
  const onward = (request: IncomingMessage) => {
    const send = target.protocol === 'https:' ? encrypted : plain;
    return send(new URL(request.url ?? '/', target), {
      method: request.method,
      headers: { ...request.headers, host: target.host, authorization: `Bearer ${token}` },
    });
  };
  const server = createServer((request, response) => {
    const passed = onward(request);
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.once('close', () => passed.destroy());
    request.pipe(passed);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const passed = onward(request);
    passed.on('upgrade', (answer, far) => {
      const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join('\r\n')}\r\n\r\n`);
      far.pipe(socket).pipe(far);
      for (const [one, other] of [
        [far, socket],
        [socket, far],
      ] as const)
        one.on('error', () => other.destroy());
    });
    passed.on('response', () => socket.destroy());
    passed.on('error', () => socket.destroy());
    passed.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It must not keep a client alive that has nothing else to do.
  server.unref();
  return server;
}
