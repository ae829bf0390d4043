import type { BoxProcess, Exchange } from '../core/index.js';
import { HttpProblem } from '../core/index.js';
import type { Account } from './account.js';

const readWindow = 4 * 1024 * 1024;
const readScript = '[ -e "$1" ] || exit 44; [ ! -d "$1" ] || exit 45; exec cat -- "$1"';

/** A compressed archive, unpacked below the directory that a header names. */
export async function writeFiles(account: Account, exchange: Exchange, sessionId: string): Promise<void> {
  const { box } = account.live(sessionId).sandbox;
  const into = String(exchange.request.headers['x-cwd'] ?? '/');
  const archive = await exchange.bytes();
  const process = box.spawn({ argv: ['tar', '-xzpf', '-', '--no-same-owner', '-C', into] });
  process.stdin.end(archive);
  const { exitCode } = await process.closed;
  const said = process.stderr.read(0).toString();
  box.forget(process);
  if (exitCode !== 0) throw new HttpProblem(400, said.trim() || 'the archive cannot be unpacked', { code: 'bad_request' });
  await exchange.reply(200, {});
}

export async function readFile(account: Account, exchange: Exchange, sessionId: string): Promise<void> {
  const { path, cwd } = await exchange.json();
  const { box } = account.live(sessionId).sandbox;
  const process = box.spawn({
    argv: ['/bin/sh', '-c', readScript, 'read', String(path)],
    cwd: typeof cwd === 'string' ? cwd : undefined,
    windowBytes: readWindow,
  });
  try {
    await process.stdout.beyond(0, exchange.signal);
    if (process.stdout.length === 0) await refuseUnread(process, String(path));
    const stream = await exchange.stream(200, { 'content-type': 'application/octet-stream' });
    for await (const chunk of process.stdout.follow(0, { signal: exchange.signal })) if (!(await stream.write(chunk))) return;
    stream.end();
  } finally {
    process.kill();
    void process.closed.then(() => box.forget(process));
  }
}

/** An empty file is a file; what cannot be read is refused. */
async function refuseUnread(process: BoxProcess, path: string): Promise<void> {
  const { exitCode } = await process.exited;
  if (exitCode === 0) return;
  if (exitCode === 44) throw new HttpProblem(404, `there is no file ${path}`, { code: 'not_found' });
  throw new HttpProblem(400, `${path} cannot be read`, { code: 'bad_request' });
}

export async function makeDirectory(account: Account, exchange: Exchange, sessionId: string): Promise<void> {
  const { path, cwd } = await exchange.json();
  const { box } = account.live(sessionId).sandbox;
  const process = box.spawn({ argv: ['mkdir', '--', String(path)], cwd: typeof cwd === 'string' ? cwd : undefined });
  const { exitCode } = await process.closed;
  box.forget(process);
  if (exitCode !== 0) throw new HttpProblem(400, `${String(path)} cannot be made`, { code: 'bad_request' });
  await exchange.reply(200, {});
}
