import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../src/poll.js';
import { type Endpoint, type FaultProxy, startFaultProxy } from '../src/proxy/fault-proxy.js';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A client that keeps what it hears. */
interface Client {
  readonly socket: Socket;
  heard: string;
  ended: boolean;
  error: NodeJS.ErrnoException | undefined;
}

function dial(address: Endpoint): Client {
  const socket = connect({ ...address, allowHalfOpen: true });
  const client: Client = { socket, heard: '', ended: false, error: undefined };
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    client.heard += text;
  });
  socket.on('end', () => {
    client.ended = true;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    client.error = error;
  });
  undo.push(() => socket.destroy());
  return client;
}

/** What all servers of a test have heard. */
let serverHeard = '';

/** Says everything back in capitals, and `bye` when the other side has finished. */
async function echo(listen: { port: number; host: string } | { path: string }): Promise<{ server: Server; endpoint: Endpoint }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      serverHeard += text;
      socket.write(text.toUpperCase());
    });
    socket.on('end', () => socket.end('bye'));
    socket.on('error', () => {});
  });
  server.listen(listen);
  await once(server, 'listening');
  undo.push(() => server.close());
  const address = server.address();
  if (address === null) throw new Error('not listening');
  return { server, endpoint: typeof address === 'string' ? { path: address } : { host: address.address, port: address.port } };
}

async function overTcp(): Promise<FaultProxy> {
  const { endpoint } = await echo({ host: '127.0.0.1', port: 0 });
  const proxy = await startFaultProxy({ upstream: endpoint });
  undo.push(() => proxy.close());
  return proxy;
}

async function overUnix(): Promise<FaultProxy> {
  const directory = await mkdtemp(join(tmpdir(), 'petasos-proxy-'));
  undo.push(() => rm(directory, { recursive: true, force: true }));
  const { endpoint } = await echo({ path: join(directory, 'upstream') });
  const proxy = await startFaultProxy({ upstream: endpoint, listen: { path: join(directory, 'proxy') } });
  undo.push(() => proxy.close());
  return proxy;
}

describe.each([
  ['tcp', overTcp, 'ECONNRESET'],
  ['unix', overUnix, undefined],
] as const)('a fault proxy over %s', (_kind, start, resetCode) => {
  it('hands everything on in both directions, the ends included', async () => {
    const proxy = await start();
    const client = dial(proxy.address);
    const text = 'petasos '.repeat(300_000);
    client.socket.end(text);
    await until('the end', () => client.ended);
    expect(client.heard).toBe(`${text.toUpperCase()}bye`);
    await until('no open connection', () => proxy.connections.open === 0);
    expect(proxy.connections.total).toBe(1);
  });

  it('delays without changing the order or the amount', async () => {
    const proxy = await start();
    proxy.delay(100);
    const client = dial(proxy.address);
    const began = performance.now();
    for (const word of ['a', 'b', 'c']) client.socket.write(word);
    await until('the answer', () => client.heard === 'ABC');
    // There and back.
    expect(performance.now() - began).toBeGreaterThanOrEqual(199);
    proxy.delay(0);
    client.socket.write('d');
    await until('the answer', () => client.heard === 'ABCD');
  });

  it('stalls in silence, and what waited arrives afterwards', async () => {
    const proxy = await start();
    const client = dial(proxy.address);
    client.socket.write('before');
    await until('the answer', () => client.heard === 'BEFORE');
    proxy.stall();
    client.socket.write(' after');
    // A second connection through another proxy shows that there was time enough for an answer.
    const other = dial((await start()).address);
    other.socket.write('x');
    await until('the other answer', () => other.heard === 'X');
    expect(client.heard).toBe('BEFORE');
    expect(client.error).toBeUndefined();
    proxy.resume();
    await until('the answer', () => client.heard === 'BEFORE AFTER');
  });

  it('cuts every open connection and serves new ones', async () => {
    const proxy = await start();
    const clients = [dial(proxy.address), dial(proxy.address)];
    for (const client of clients) {
      client.socket.write('x');
      await until('the answer', () => client.heard === 'X');
    }
    proxy.cut();
    for (const client of clients) {
      await until('the cut', () => client.ended || client.error !== undefined);
      expect(client.error?.code).toBe(resetCode);
    }
    const next = dial(proxy.address);
    next.socket.write('y');
    await until('the answer', () => next.heard === 'Y');
  });

  it('cuts after so many bytes', async () => {
    const proxy = await start();
    const client = dial(proxy.address);
    proxy.cutAfter(7);
    client.socket.write('12345');
    await until('the cut', () => client.ended || client.error !== undefined || client.socket.destroyed);
    expect(client.heard.length).toBeLessThanOrEqual(2);
  });

  it('half-closes towards the upstream, whose answer still arrives', async () => {
    const proxy = await start();
    const client = dial(proxy.address);
    client.socket.write('x');
    await until('the answer', () => client.heard === 'X');
    proxy.halfClose('upstream');
    await until('the end', () => client.ended);
    expect(client.heard).toBe('Xbye');
  });

  it('half-closes towards the client, whose words still arrive', async () => {
    const proxy = await start();
    const client = dial(proxy.address);
    client.socket.write('x');
    await until('the answer', () => client.heard === 'X');
    proxy.halfClose('client');
    await until('the end', () => client.ended);
    client.socket.write('still here');
    await until('the words', () => serverHeard.endsWith('still here'));
    expect(client.heard).toBe('X');
    expect(proxy.connections.open).toBe(1);
  });

  it('refuses new connections until it accepts again', async () => {
    const proxy = await start();
    proxy.refuse();
    const refused = dial(proxy.address);
    await until('the refusal', () => refused.ended || refused.error !== undefined);
    proxy.accept();
    const accepted = dial(proxy.address);
    accepted.socket.write('x');
    await until('the answer', () => accepted.heard === 'X');
  });
});

it('resets its clients when nothing stands behind it', async () => {
  const { server, endpoint } = await echo({ host: '127.0.0.1', port: 0 });
  server.close();
  const proxy = await startFaultProxy({ upstream: endpoint });
  undo.push(() => proxy.close());
  const client = dial(proxy.address);
  await until('the reset', () => client.error !== undefined || client.socket.destroyed);
  expect(proxy.connections.open).toBe(0);
});
