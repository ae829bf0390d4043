import { connect } from 'node:net';
import type { Forward, Process } from '../../sandbox/types.js';
import { ensure, equal, exited, fail } from '../expect.js';
import { needs } from '../requirements.js';
import { type Context, scenarios } from '../scenario.js';

const needsForward = needs('forward', ({ sandbox }) => sandbox.forward(8080));

const answer = 'HTTP/1.0 200 OK\\r\\nContent-Length: 5\\r\\nConnection: close\\r\\n\\r\\nhello';

/** Small servers that answer every connection on a free port and print the port; the first whose program exists is taken. */
const server = `if command -v python3 >/dev/null; then exec python3 -c '
import socket
s = socket.socket(); s.bind(("0.0.0.0", 0)); s.listen(5); print(s.getsockname()[1], flush=True)
while True:
    c, _ = s.accept(); c.recv(4096); c.sendall(b"${answer}"); c.close()'
elif command -v perl >/dev/null; then exec perl -MIO::Socket::INET -e '
$| = 1; $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "0.0.0.0", LocalPort => 0) or die $!; print $s->sockport, "\\n";
while ($c = $s->accept) { sysread $c, $b, 4096; print $c "${answer}"; close $c }'
elif command -v node >/dev/null; then exec node -e '
const s = require("net").createServer((c) => c.once("data", () => c.end("${answer}"))); s.listen(0, () => console.log(s.address().port))'
elif command -v nc >/dev/null || command -v busybox >/dev/null; then
  nc=$(command -v nc || echo "busybox nc"); echo 18080; while :; do printf '${answer}' | $nc -l -p 18080 >/dev/null; done
else exit 99; fi`;

export const forward = scenarios('forward', [
  {
    id: 'forward.answers',
    title: 'a port of the sandbox answers here, for one connection after another',
    needs: needsForward,
    run: (context) =>
      withServer(context, async (port) => {
        const forward = await context.sandbox.forward(port);
        try {
          for (let i = 0; i < 3; i++) await context.eventually('an answer from the forwarded port', () => get(forward.address), 10_000);
        } finally {
          await forward.close();
        }
      }),
  },
  {
    id: 'forward.address',
    title: 'the address has the form that is declared',
    needs: needsForward,
    run: (context) =>
      withServer(context, async (port) => {
        const forward: Forward = await context.sandbox.forward(port);
        await forward.close();
        await forward.close();
        const form = context.capabilities.forward === 'url' ? /^https?:\/\/.+/ : /^[^/\s]+:\d+$/;
        ensure(form.test(forward.address), `the address should be a ${context.capabilities.forward}, observed ${forward.address}`);
      }),
  },
]);

async function withServer(context: Context, work: (port: number) => Promise<void>): Promise<void> {
  const process: Process = await context.sandbox.spawn(server);
  let [printed, said] = ['', ''];
  process.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  process.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  try {
    await Promise.race([
      context.eventually('the port of a server in the sandbox', () => printed.includes('\n'), 10_000),
      process.exited.then((end) =>
        end.exitCode === 99 ? fail('the place has none of python3, perl, node and nc to open a port with') : exited(end, -1),
      ),
    ]);
    equal(said, '', 'what the server wrote to stderr');
    await work(Number.parseInt(printed, 10));
  } finally {
    await process.kill('SIGKILL');
    await process.exited;
  }
}

/** Whether somebody answers with the expected body: over HTTP for a URL, else over a plain connection. */
function get(address: string): Promise<boolean> {
  if (/^https?:/.test(address)) {
    return fetch(address).then(
      async (response) => (await response.text()) === 'hello',
      () => false,
    );
  }
  const at = address.lastIndexOf(':');
  return new Promise((resolve) => {
    let text = '';
    const done = () => resolve(text.endsWith('hello'));
    const socket = connect(Number(address.slice(at + 1)), address.slice(0, at).replace(/^\[|\]$/g, ''));
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('close', done).on('error', done);
    socket.write('GET / HTTP/1.0\r\n\r\n');
  });
}
