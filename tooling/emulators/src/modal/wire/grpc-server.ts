import {
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Fault, Faults } from '../../core/faults.js';
import type { LoggedRequest, RequestLog } from '../../core/requests.js';
import { StreamSpoiler } from '../../core/stream-faults.js';
import type { Codec } from './protobuf.js';
import { code, GrpcProblem } from './status.js';

export interface CallInfo {
  readonly headers: IncomingHttpHeaders;
  /** Fires when the client has gone or the call is over. */
  readonly signal: AbortSignal;
  /** A fault that only this service knows, when it was asked for by this name. */
  own(name: string): { readonly data: unknown } | undefined;
}

interface MethodShape {
  /** Names of the messages. */
  readonly request: string;
  readonly response: string;
}

/** A procedure: with one answer, with a stream of answers, or with a stream of requests. */
export type Method = MethodShape &
  (
    | { readonly kind: 'unary'; run(request: unknown, call: CallInfo): Promise<object> | object }
    | { readonly kind: 'server-stream'; run(request: unknown, call: CallInfo): AsyncIterable<{ readonly data?: Uint8Array }> }
    | { readonly kind: 'client-stream'; run(requests: AsyncIterable<unknown>, call: CallInfo): Promise<object> }
  );

export interface GrpcOptions {
  readonly codec: Codec;
  readonly requests: RequestLog;
  readonly faults: Faults;
  /** By path: `/package.Service/Method`. */
  readonly methods: ReadonlyMap<string, Method>;
  /** Throws where the caller is not who it says. */
  authorize(path: string, headers: IncomingHttpHeaders): void;
}

export interface GrpcServer {
  readonly port: number;
  /** Cuts every connection there is; clients may dial again. */
  cut(): void;
  close(): Promise<void>;
}

/** gRPC over cleartext HTTP/2 on loopback, with request log and faults in front of every call. */
export async function serveGrpc(options: GrpcOptions): Promise<GrpcServer> {
  const server = createServer({ settings: { initialWindowSize: 1024 * 1024 } });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {});
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    void new GrpcCall(stream, headers, options).serve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const session of sessions) session.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

class GrpcCall {
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #options: GrpcOptions;
  readonly #path: string;
  readonly #logged: LoggedRequest;
  readonly #fault: Fault | undefined;
  readonly #gone = new AbortController();
  #trailers: OutgoingHttpHeaders = {};

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, options: GrpcOptions) {
    this.#stream = stream;
    this.#headers = headers;
    this.#options = options;
    this.#path = String(headers[':path']);
    const idempotency = headers['x-idempotency-key'];
    const shown = idempotency === undefined ? headers : { ...headers, 'idempotency-key': idempotency };
    this.#logged = options.requests.record(this.#path.slice(this.#path.lastIndexOf('/') + 1), shown);
    this.#fault = options.faults.take(this.#logged.name);
    if (this.#fault) this.#logged.fault = this.#fault.kind === 'own' ? this.#fault.name : this.#fault.kind;
    stream.once('close', () => this.#gone.abort());
  }

  async serve(): Promise<void> {
    try {
      const method = this.#options.methods.get(this.#path);
      if (method === undefined) throw new GrpcProblem(code.unimplemented, `${this.#path} is not emulated`);
      this.#options.authorize(this.#path, this.#headers);
      if (await this.#spoil('before')) return;
      await this.#run(method);
    } catch (error) {
      this.#refuse(error instanceof GrpcProblem ? error : new GrpcProblem(code.unknown, String(error)));
    }
  }

  async #run(method: Method): Promise<void> {
    const call: CallInfo = {
      headers: this.#headers,
      signal: this.#gone.signal,
      own: (name) => (this.#fault?.kind === 'own' && this.#fault.name === name ? { data: this.#fault.data } : undefined),
    };
    if (method.kind === 'client-stream') {
      const answer = await method.run(this.#requests(method), call);
      if (!(await this.#spoil('after'))) this.#answer(method, answer);
      return;
    }
    let request: unknown;
    for await (const one of this.#requests(method)) request = one;
    if (request === undefined) throw new GrpcProblem(code.internal, 'the call holds no request');
    if (method.kind === 'unary') {
      const answer = await method.run(request, call);
      if (!(await this.#spoil('after'))) this.#answer(method, answer);
      return;
    }
    await this.#streamAnswers(method, method.run(request, call));
  }

  async *#requests(method: Method): AsyncGenerator<unknown> {
    let held: Buffer = Buffer.alloc(0);
    for await (const chunk of this.#stream as AsyncIterable<Buffer>) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      while (held.length >= 5 && held.length >= 5 + held.readUInt32BE(1)) {
        const end = 5 + held.readUInt32BE(1);
        const message = this.#options.codec.decode<object>(method.request, held.subarray(5, end));
        held = held.subarray(end);
        this.#logged.body ??= summary(message);
        yield message;
      }
    }
  }

  #open(): void {
    this.#stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
    this.#stream.once('wantTrailers', () => this.#stream.sendTrailers(this.#trailers));
  }

  #frame(method: Method, message: object): Buffer {
    const body = this.#options.codec.encode(method.response, message);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(body.length, 1);
    return Buffer.concat([head, body]);
  }

  #answer(method: Method, message: object): void {
    if (this.#stream.destroyed) return;
    this.#logged.status = code.ok;
    this.#trailers = { 'grpc-status': '0' };
    this.#open();
    this.#stream.end(this.#frame(method, message));
  }

  async #streamAnswers(method: Method, messages: AsyncIterable<{ readonly data?: Uint8Array }>): Promise<void> {
    const spoiler = new StreamSpoiler(this.#fault);
    this.#open();
    // The headers tell a client that the stream is open although nothing has been written yet.
    this.#trailers = { 'grpc-status': '0' };
    for await (const message of messages) {
      const { pieces, next } = message.data === undefined ? { pieces: [undefined], next: 'go-on' } : spoiler.pass(message.data);
      for (const piece of pieces) await this.#send(this.#frame(method, piece === undefined ? message : { ...message, data: piece }));
      if (this.#stream.destroyed) return;
      if (next === 'stall') return;
      if (next === 'reset') {
        this.#cut();
        return;
      }
      if (next === 'end') break;
    }
    this.#logged.status = code.ok;
    this.#stream.end();
  }

  #send(bytes: Buffer): Promise<void> {
    if (this.#stream.destroyed || this.#stream.write(bytes)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#stream.off('drain', done);
        this.#stream.off('close', done);
        resolve();
      };
      this.#stream.once('drain', done);
      this.#stream.once('close', done);
    });
  }

  #refuse(problem: GrpcProblem): void {
    if (this.#stream.destroyed) return;
    this.#logged.status = problem.code;
    this.#trailers = {
      'grpc-status': String(problem.code),
      'grpc-message': encodeURIComponent(problem.message),
      ...(problem.details === undefined ? {} : { 'grpc-status-details-bin': problem.details.toString('base64') }),
    };
    if (!this.#stream.headersSent) this.#open();
    this.#stream.end();
  }

  /** In a turn of its own: while a frame is being read, Node's HTTP/2 would go on with what this frees, and corrupt its memory. */
  #cut(): void {
    setImmediate(() => this.#stream.session?.destroy());
  }

  /** Puts the fault in the way if this is its moment. @returns whether the call has been dealt with. */
  async #spoil(moment: 'before' | 'after'): Promise<boolean> {
    const fault = this.#fault;
    if (fault === undefined) return false;
    if (fault.kind === 'delay' && moment === 'before') await pause(fault.ms);
    if (fault.kind !== 'status' && fault.kind !== 'reset' && fault.kind !== 'stall') return false;
    if ((fault.when ?? 'before') !== moment) return false;
    if (fault.kind === 'status') throw new GrpcProblem(fault.status, fault.message ?? 'a fault was asked for');
    if (fault.kind === 'reset') {
      this.#cut();
      return true;
    }
    if (fault.ms === undefined) return true;
    await pause(fault.ms);
    return false;
  }
}

/** A request for the log: bytes as their number, variables as their names. */
function summary(value: unknown, key = ''): unknown {
  if (value instanceof Uint8Array) return { bytes: value.byteLength };
  if (Array.isArray(value)) return value.map((one) => summary(one));
  if (typeof value !== 'object' || value === null) return value;
  if (key === 'contents' || key === 'envDict') return Object.keys(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, summary(member, name)]));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
