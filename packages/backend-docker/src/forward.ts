import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { type DriverForward, type DriverProcess, endProcessesArguments } from '@petasos/core/backend';
import relay from './scripts/relay.sh?raw';

/** Starts a process in the container with these variables. */
export type Start = (argv: readonly [string, ...string[]], stdin: boolean, env: Readonly<Record<string, string>>) => Promise<DriverProcess>;

/**
 * A port of the container on the loopback address here. Each connection goes over a process in the container: so it works whatever
 * network the container has, wherever the engine is, and reaches servers that listen on the container's loopback address alone.
 */
export async function forwardPort(start: Start, port: number, cookie: string): Promise<DriverForward> {
  const open = new Set<Socket>();
  let used = false;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    open.add(client);
    used = true;
    client.on('error', () => {});
    client.once('close', () => open.delete(client));
    connect(start, port, cookie, client).catch(() => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const address = server.address();
  let closing: Promise<void> | undefined;
  return {
    address: `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    close() {
      closing ??= (async () => {
        for (const client of open) client.destroy();
        server.close();
        await once(server, 'close');
        // A relay may wait for a server that says nothing more.
        if (used) await finish(await start(endProcessesArguments(cookie, 0), false, {}));
      })().catch(() => {});
      return closing;
    },
  };
}

async function connect(start: Start, port: number, cookie: string, client: Socket): Promise<void> {
  const process = await start(['/bin/sh', '-c', relay, 'petasos-relay', String(port)], true, { PETASOS_FORWARD: cookie });
  process.stderr?.resume();
  process.exited.catch(() => {});
  if (process.stdin) pipeline(client, process.stdin, () => {});
  pipeline(process.stdout, client, () => {});
  client.once('close', () => process.kill());
}

async function finish(process: DriverProcess): Promise<void> {
  process.stdout.resume();
  process.stderr?.resume();
  await process.exited;
}
