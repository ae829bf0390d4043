import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { openDocker } from './sandboxes.js';

/** Answers each connection with what it has sent, in capitals, on the container's loopback address alone. */
const server = `exec perl -MIO::Socket::INET -e '
  $| = 1; $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1", LocalPort => 0) or die $!; print $s->sockport, "\\n";
  while ($c = $s->accept) { sysread $c, $b, 4096; print $c uc $b; sleep 60 if $b =~ /stay/; close $c }'`;

it('a server on the loopback address of a container without network is reached, and no relay is left', async () => {
  const sandbox = await openDocker({ network: false });
  const process = await sandbox.spawn(server);
  process.stderr.resume();
  const [port] = (await once(process.stdout, 'data')) as [Buffer];
  const forward = await sandbox.forward(Number(port.toString()));
  const [host = '', ours = ''] = forward.address.split(':');
  const ask = (words: string) => {
    const socket = connect(Number(ours), host);
    socket.write(words);
    return socket;
  };
  expect(await text(ask('hello'))).toBe('HELLO');
  expect(await text(ask('again'))).toBe('AGAIN');

  const staying = ask('stay');
  staying.on('error', () => {});
  await once(staying, 'data');
  staying.destroy();
  await forward.close();
  await expect.poll(async () => (await sandbox.exec('grep -al petasos-[r]elay /proc/[0-9]*/cmdline')).stdout, { timeout: 5000 }).toBe('');
  await expect(once(connect(Number(ours), host), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('a port where nobody listens ends the connection', async () => {
  const sandbox = await openDocker();
  const forward = await sandbox.forward(9);
  const [host = '', port = ''] = forward.address.split(':');
  expect(await text(connect(Number(port), host))).toBe('');
  await forward.close();
});
