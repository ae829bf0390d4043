import http from 'node:http';
import https from 'node:https';
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { PetasosError } from '@petasos/core/backend';
import type { Endpoint } from './endpoint.js';
import { lost, refusal, unreachable } from './errors.js';

export interface Call {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly json?: object | undefined;
  readonly body?: Readable | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds without a byte from the engine after which it counts as gone; default 60 s. */
  readonly silenceMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For the message of an error: what the engine is asked to do. */
  readonly what: string;
}

const defaultSilenceMs = 60_000;
const connectMs = 10_000;

/**
 * Speaks HTTP with one engine, a connection for each call: calls are few, since commands go over streams that stay open. Addresses
 * carry no version: every engine then answers in the newest one that it knows, and none refuses.
 */
export class Connection {
  readonly endpoint: Endpoint;
  readonly #agent: http.Agent | https.Agent;
  readonly #request: typeof http.request;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
    const secure = endpoint.kind === 'tcp' && endpoint.tls !== undefined;
    this.#request = secure ? https.request : http.request;
    this.#agent = secure ? new https.Agent({ keepAlive: false }) : new http.Agent({ keepAlive: false });
  }

  /** @returns the parsed answer; undefined where there is none. */
  async json<Answer>(call: Call): Promise<Answer> {
    const response = await this.stream(call);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of response) chunks.push(chunk as Buffer);
    } catch (cause) {
      throw lost(call.what, cause);
    }
    const text = Buffer.concat(chunks).toString('utf8');
    return (text.trim() === '' ? undefined : JSON.parse(text)) as Answer;
  }

  async send(call: Call): Promise<void> {
    await this.json(call);
  }

  /** The answer as it comes. @throws `place-failed` with the status, `unavailable`, `disconnected` or `aborted`. */
  async stream(call: Call): Promise<http.IncomingMessage> {
    const { response } = await this.#start(call, {});
    if (response === undefined) throw lost(call.what, undefined);
    return response;
  }

  /** A connection that both sides write into once the engine has agreed. */
  async hijack(call: Call): Promise<Duplex> {
    const { socket } = await this.#start(call, { Connection: 'Upgrade', Upgrade: 'tcp' });
    if (socket === undefined) throw refusal(call.what, 200, 'it opened no stream');
    return socket;
  }

  #start(call: Call, extra: Record<string, string>): Promise<{ response?: http.IncomingMessage; socket?: Duplex }> {
    const { signal, what } = call;
    const payload = call.json === undefined ? undefined : JSON.stringify(call.json);
    const silenceMs = call.silenceMs ?? defaultSilenceMs;
    return new Promise((resolve, reject) => {
      let connected = false;
      const request = this.#request({
        ...this.#target(),
        agent: this.#agent,
        method: call.method,
        path: pathOf(call),
        headers: {
          ...(payload === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
          ...call.headers,
          ...extra,
        },
      });
      const fail = (cause: unknown) => {
        settled();
        if (signal?.aborted)
          reject(new PetasosError('aborted', `docker was to ${what}, and that was aborted`, { backend: 'docker', cause }));
        else reject(connected ? lost(what, cause) : unreachable(this.endpoint, cause));
      };
      const connecting = setTimeout(
        () => request.destroy(new Error(`no connection within ${connectMs} ms`)),
        Math.min(connectMs, silenceMs),
      );
      const abort = () => request.destroy(new Error('aborted'));
      signal?.addEventListener('abort', abort, { once: true });
      const settled = () => {
        clearTimeout(connecting);
        signal?.removeEventListener('abort', abort);
      };
      request.once('socket', (socket) => {
        const ready = () => {
          connected = true;
          clearTimeout(connecting);
        };
        if (socket.connecting) socket.once(this.endpoint.kind === 'tcp' && this.endpoint.tls ? 'secureConnect' : 'connect', ready);
        else ready();
      });
      request.setTimeout(silenceMs, () => request.destroy(new Error(`no answer for ${silenceMs} ms`)));
      request.on('error', fail);
      request.once('upgrade', (_response, socket, head) => {
        settled();
        socket.setTimeout(0);
        if (head.length > 0) socket.unshift(head);
        resolve({ socket });
      });
      request.once('response', (response) => {
        const status = response.statusCode ?? 500;
        if (status < 400) {
          // Whoever reads the answer may still abort it.
          response.once('close', settled);
          clearTimeout(connecting);
          resolve({ response });
          return;
        }
        messageOf(response).then(
          (message) => {
            settled();
            reject(refusal(what, status, message));
          },
          (cause: unknown) => fail(cause),
        );
      });
      if (call.body !== undefined) pipeline(call.body, request, (error) => error && request.destroy(error));
      else request.end(payload);
    });
  }

  #target(): http.RequestOptions & https.RequestOptions {
    const { endpoint } = this;
    if (endpoint.kind === 'socket') return { socketPath: endpoint.path };
    const { host, port, tls } = endpoint;
    return { host, port, ...(tls && { ca: tls.ca, cert: tls.cert, key: tls.key, rejectUnauthorized: tls.verify }) };
  }
}

function pathOf({ path, query }: Call): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? path
    : `${path}?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

async function messageOf(response: http.IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message.trim() : text.trim();
  } catch {
    return text.trim().slice(0, 500);
  }
}
