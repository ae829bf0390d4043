import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { type DriverExit, type DriverTerminal, PetasosError, type TerminalRequest } from '@petasos/core/backend';
import type { RawData, WebSocket } from 'ws';
import { vercelError } from './errors.js';
import type { VercelPlace } from './place.js';

/**
 * A terminal in the sandbox. The SDK gives an address and a token; what is said there (one JSON text to start, binary both ways, JSON texts
 * for a resize and for the end) is what Vercel's own CLI says.
 */
export async function openTerminal(place: VercelPlace, request: TerminalRequest, workdir: string): Promise<DriverTerminal> {
  const { url, token } = await place.use('terminal', (session) => session.openInteractive());
  const { WebSocket: Socket } = await import('ws');
  const address = new URL(url);
  address.searchParams.set('token', token);
  const socket = new Socket(address);
  await once(socket, 'open').catch((error: unknown) => {
    throw vercelError(error, 'terminal', place.name);
  });
  const [command, ...args] = request.argv;
  const env = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  const { columns: cols, rows, cwd = workdir } = request;
  socket.send(JSON.stringify({ type: 'start', command, args, env, cwd, cols, rows }));
  const output = new PassThrough();
  return {
    input: inputOf(socket),
    output,
    exited: follow(socket, output, place.name),
    resize: (columns, lines) => {
      if (socket.readyState === Socket.OPEN) socket.send(JSON.stringify({ type: 'resize', cols: columns, rows: lines }));
    },
    kill: () => socket.terminate(),
  };
}

function inputOf(socket: WebSocket): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, callback) {
      socket.send(chunk, { binary: true }, (error) => callback(error ?? null));
    },
  });
}

function follow(socket: WebSocket, output: PassThrough, name: string): Promise<DriverExit> {
  let exitCode: number | undefined;
  socket.on('message', (data: RawData, binary: boolean) => {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
    if (!binary) {
      exitCode = exitOf(bytes.toString('utf8')) ?? exitCode;
      return;
    }
    if (output.write(bytes)) return;
    socket.pause();
    output.once('drain', () => socket.resume());
  });
  const exited = new Promise<DriverExit>((resolve, reject) => {
    socket.on('error', () => socket.terminate());
    socket.once('close', () => {
      output.end();
      if (exitCode !== undefined) resolve({ exitCode });
      else
        reject(
          new PetasosError('disconnected', `the terminal in the sandbox ${name} of vercel was cut off`, {
            backend: 'vercel',
            operation: 'terminal',
            remedy: 'Open another one.',
          }),
        );
    });
  });
  exited.catch(() => {});
  return exited;
}

function exitOf(text: string): number | undefined {
  try {
    const message = JSON.parse(text) as { readonly type?: unknown; readonly code?: unknown };
    return message.type === 'exit' && typeof message.code === 'number' ? message.code : undefined;
  } catch {
    return undefined;
  }
}
