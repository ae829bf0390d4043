import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { testbed } from './place.js';

/** Listens on a free port of 127.0.0.1, says which, and hands every connection to the socket at its first argument. */
const relay = `
const net = require('node:net');
const server = net.createServer((near) => {
  const far = net.connect(process.argv[1]);
  near.pipe(far).pipe(near);
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

/**
 * Lets the engine under test reach a socket of ours as `127.0.0.1:port`: without a bridge it lives in a network of its own, and its 127.0.0.1
 * is not ours.
 */
export async function exposeToEngine(socket: string): Promise<{ readonly port: number; close(): Promise<void> }> {
  const pid = testbed.bridge ? process.pid : Number(await readFile(testbed.socket.replace(/[^/]*$/, 'pid'), 'utf8'));
  const child = spawn('nsenter', [`--net=/proc/${pid}/ns/net`, process.execPath, '-e', relay, socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    port: Number(line),
    async close() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
