import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Fault, Faults } from './faults.js';
import type { LoggedRequest, RequestLog } from './requests.js';
import { StreamSpoiler } from './stream-faults.js';

/** A refusal in the service's own words. */
export class HttpProblem extends Error {
  readonly status: number;
  /** Members of the error body besides the message. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.details = details;
    this.headers = headers;
  }
}

/** One request and its answer. Every answer goes through it, so that faults meet every answer. */
export class Exchange {
  readonly method: string;
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly logged: LoggedRequest;
  readonly #response: ServerResponse;
  readonly #fault: Fault | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, logged: LoggedRequest, fault: Fault | undefined) {
    this.method = request.method ?? 'GET';
    this.url = new URL(request.url ?? '/', 'http://emulator');
    this.request = request;
    this.logged = logged;
    this.#response = response;
    this.#fault = fault;
  }

  /** A service's own fault for this request, where it is named so. */
  own(name: string): { readonly data: unknown } | undefined {
    return this.#fault?.kind === 'own' && this.#fault.name === name ? { data: this.#fault.data } : undefined;
  }

  /** Fires when the client has gone or the answer is complete. */
  get signal(): AbortSignal {
    const controller = new AbortController();
    this.#response.once('close', () => controller.abort());
    return controller.signal;
  }

  async bytes(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }

  /** The body as JSON, kept in the request log. */
  async json(): Promise<Record<string, unknown>> {
    const text = (await this.bytes()).toString('utf8');
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    this.logged.body = body;
    return body;
  }

  /** The whole answer. Objects go as JSON. */
  async reply(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    this.logged.status = status;
    if (await this.spoil('after')) return;
    const bytes = Buffer.isBuffer(body) ? body : body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const type = bytes === undefined || Buffer.isBuffer(body) ? {} : { 'content-type': 'application/json; charset=utf-8' };
    this.#response.writeHead(status, { ...type, ...headers });
    this.#response.end(bytes);
  }

  /** An answer that comes piece by piece. `write` waits for a slow client; it returns false when nobody listens any more. */
  async stream(
    status: number,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ write(chunk: Uint8Array): Promise<boolean>; end(): void }> {
    const response = this.#response;
    this.logged.status = status;
    if (await this.spoil('after')) return { write: async () => false, end() {} };
    response.writeHead(status, { ...headers });
    response.flushHeaders();
    const spoiler = new StreamSpoiler(this.#fault);
    let over = false;
    response.once('close', () => {
      over = true;
    });
    return {
      write: async (chunk) => {
        if (over) return false;
        const { pieces, next } = spoiler.pass(chunk);
        for (const piece of pieces) await send(response, piece);
        if (next === 'go-on') return !over;
        over = true;
        if (next === 'end') response.end();
        // What was written goes out before the cut.
        if (next === 'reset') setImmediate(() => this.request.socket.destroy());
        return false;
      },
      end: () => {
        if (!over) response.end();
      },
    };
  }

  /** Puts the fault in the way if this is its moment. @returns whether the request has been dealt with. */
  async spoil(moment: 'before' | 'after'): Promise<boolean> {
    const fault = this.#fault;
    if (fault === undefined) return false;
    if (fault.kind === 'delay' && moment === 'before') await pause(fault.ms);
    if (fault.kind !== 'status' && fault.kind !== 'reset' && fault.kind !== 'stall') return false;
    if ((fault.when ?? 'before') !== moment) return false;
    if (fault.kind === 'status') {
      this.logged.status ??= fault.status;
      this.#response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      this.#response.end(JSON.stringify({ statusCode: fault.status, message: fault.message ?? 'a fault was asked for' }));
      return true;
    }
    if (fault.kind === 'reset') {
      this.request.socket.destroy();
      return true;
    }
    if (fault.ms === undefined) return true;
    await pause(fault.ms);
    return false;
  }
}

export interface HttpOptions {
  readonly requests: RequestLog;
  readonly faults: Faults;
  /** Name of a request, for the log and for faults; default: method and path. */
  name?(request: IncomingMessage): string;
  handle(exchange: Exchange): Promise<void>;
  /** The body of a refusal. */
  problem(problem: HttpProblem, exchange: Exchange): unknown;
  /** WebSockets and the like. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer, logged: LoggedRequest, fault: Fault | undefined): void;
}

/** An HTTP server on loopback with request log and faults in front of every request. */
export async function serveHttp(options: HttpOptions): Promise<{ readonly port: number; readonly url: string; close(): Promise<void> }> {
  const name = (request: IncomingMessage) => options.name?.(request) ?? `${request.method} ${(request.url ?? '/').split('?', 1)[0]}`;
  const meet = (request: IncomingMessage) => {
    const logged = options.requests.record(name(request), request.headers);
    const fault = options.faults.take(logged.name);
    if (fault) logged.fault = fault.kind === 'own' ? fault.name : fault.kind;
    return { logged, fault };
  };
  const server = createServer((request, response) => {
    const { logged, fault } = meet(request);
    const exchange = new Exchange(request, response, logged, fault);
    serve(exchange, options).catch(() => request.socket.destroy());
  });
  server.keepAliveTimeout = 5_000;
  server.requestTimeout = 0;
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const { logged, fault } = meet(request);
    if (options.upgrade) options.upgrade(request, socket, head, logged, fault);
    else socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(exchange: Exchange, options: HttpOptions): Promise<void> {
  if (await exchange.spoil('before')) return;
  try {
    await options.handle(exchange);
  } catch (error) {
    const problem = error instanceof HttpProblem ? error : new HttpProblem(500, error instanceof Error ? error.message : String(error));
    await exchange.reply(problem.status, options.problem(problem, exchange), problem.headers);
  }
}

function send(response: ServerResponse, piece: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (response.write(piece)) resolve();
    else {
      const done = () => {
        response.off('drain', done);
        response.off('close', done);
        resolve();
      };
      response.once('drain', done);
      response.once('close', done);
    }
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
