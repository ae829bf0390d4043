import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes on requests that carry a token to the port that the token is for. */
export class ConnectProxy {
  readonly #server: Server;
  readonly #ports = new Map<string, number>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ConnectProxy> {
    const server = createServer();
    const proxy = new ConnectProxy(server);
    server.on('request', (request, response) => {
      const port = proxy.#ports.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
      if (port === undefined) {
        response.writeHead(401).end();
        return;
      }
      const { authorization: _, host: __, ...headers } = request.headers;
      const onward = forward({ host: '127.0.0.1', port, method: request.method, path: request.url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.writeHead(502).end());
      request.pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  allow(token: string, port: number): void {
    this.#ports.set(token, port);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
