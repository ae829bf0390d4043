import { createServer, type Socket } from 'node:net';
import { type DriverForward, isPetasosError, PetasosError } from '@petasos/core/backend';
import type { LinePool } from './pool.js';
import { describeTarget } from './target.js';

/** Reasons of RFC 4254 for a channel that is not opened. */
const prohibited = 1;

/** Listens on a port of this machine and passes every connection on to the server's `port`. */
export async function openForward(pool: LinePool, port: number): Promise<DriverForward> {
  await requireForwarding(pool, port);
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    void connectThrough(pool, port, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const local = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    address: `127.0.0.1:${local}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** A port on which nobody listens yet is no failure; a server that passes on nothing is. */
async function requireForwarding(pool: LinePool, port: number): Promise<void> {
  const line = await pool.line();
  try {
    const channel = await line.forward('127.0.0.1', port);
    channel.on('error', () => {});
    channel.close();
  } catch (error) {
    if (isPetasosError(error)) throw error;
    if ((error as { reason?: unknown }).reason !== prohibited) return;
    throw new PetasosError('unsupported', `${describeTarget(pool.target)} forwards no ports`, {
      backend: 'ssh',
      operation: 'forward',
      data: { capability: 'forward' },
      remedy: 'Its administrator can allow it (AllowTcpForwarding in sshd_config).',
      cause: error,
    });
  }
}

async function connectThrough(pool: LinePool, port: number, socket: Socket): Promise<void> {
  socket.on('error', () => {});
  socket.pause();
  try {
    const line = await pool.line();
    const channel = await line.forward('127.0.0.1', port);
    channel.on('error', () => {});
    const forget = line.onLost(() => socket.destroy());
    channel.once('close', () => {
      forget();
      socket.end();
    });
    socket.once('close', () => channel.close());
    socket.pipe(channel).pipe(socket);
  } catch {
    // As if nobody listened there: the program that connects sees a closed connection.
    socket.resetAndDestroy();
  }
}
