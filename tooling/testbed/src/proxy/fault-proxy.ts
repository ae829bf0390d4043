import { once } from 'node:events';
import { connect, createServer, type ListenOptions, type Socket } from 'node:net';
import { Faults } from './faults.js';
import { Pipe } from './pipe.js';

/** A TCP port on the loopback address, or the path of a unix socket. */
export type Endpoint = { readonly host: string; readonly port: number } | { readonly path: string };

export interface FaultProxyOptions {
  /** What stands behind the proxy. */
  readonly upstream: Endpoint;
  /** Absent: a free port on 127.0.0.1. */
  readonly listen?: { readonly path: string } | undefined;
}

/** A line between a client and a server that can be made bad while both talk. Faults hold for all connections. */
export interface FaultProxy {
  /** Where clients connect instead of the upstream. */
  readonly address: Endpoint;
  /** How many connections are open now, and how many there have ever been. */
  readonly connections: { readonly open: number; readonly total: number };
  /** Everything arrives this much later, in order and without loss of throughput; 0 ends it. */
  delay(ms: number): void;
  /** Nothing passes in either direction, and nobody is told. */
  stall(): void;
  /** Ends a stall: what waited arrives. */
  resume(): void;
  /** Resets every open connection. New ones work. */
  cut(): void;
  /** Cuts once this many more bytes have passed, both directions together. */
  cutAfter(bytes: number): void;
  /** Tells one side that the other has finished sending, while the opposite direction goes on. */
  halfClose(side: 'client' | 'upstream'): void;
  /** New connections are reset at once, until {@link accept}. */
  refuse(): void;
  accept(): void;
  /** Cuts everything and listens no more. */
  close(): Promise<void>;
}

interface Line {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly pipes: readonly Pipe[];
}

export async function startFaultProxy({ upstream, listen }: FaultProxyOptions): Promise<FaultProxy> {
  const lines = new Set<Line>();
  let total = 0;
  const cut = () => {
    for (const line of lines) end(line);
  };
  const end = (line: Line) => {
    lines.delete(line);
    for (const pipe of line.pipes) pipe.stop();
    reset(line.client);
    reset(line.upstream);
  };
  const faults = new Faults(cut);
  const pump = () => {
    for (const { pipes } of lines) for (const pipe of pipes) pipe.pump();
  };

  // Each side may finish sending alone; the other direction must go on.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    total += 1;
    client.on('error', () => {});
    if (faults.refusing) {
      reset(client);
      return;
    }
    const behind = connect({ ...upstream, allowHalfOpen: true, noDelay: true });
    const line: Line = { client, upstream: behind, pipes: [new Pipe(client, behind, faults), new Pipe(behind, client, faults)] };
    lines.add(line);
    behind.on('error', () => end(line));
    client.on('error', () => end(line));
    const closed = () => {
      if (client.destroyed && behind.destroyed) lines.delete(line);
    };
    client.once('close', closed);
    behind.once('close', closed);
  });
  const where: ListenOptions = listen ?? { host: '127.0.0.1', port: 0 };
  server.listen(where);
  await once(server, 'listening');

  return {
    address: endpointOf(server.address()),
    get connections() {
      return { open: lines.size, total };
    },
    delay(ms) {
      faults.delayMs = ms;
      pump();
    },
    stall() {
      faults.stalled = true;
    },
    resume() {
      faults.stalled = false;
      pump();
    },
    cut,
    cutAfter: (bytes) => faults.limitBytes(bytes),
    halfClose(side) {
      for (const line of lines) line[side].end();
    },
    refuse() {
      faults.refusing = true;
    },
    accept() {
      faults.refusing = false;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A reset, as a broken line gives it, where the kind of socket has one. */
function reset(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}

function endpointOf(address: ReturnType<ReturnType<typeof createServer>['address']>): Endpoint {
  if (address === null) throw new Error('the proxy does not listen');
  return typeof address === 'string' ? { path: address } : { host: address.address, port: address.port };
}
