import { type Exchange, Router } from '../core/index.js';
import { workdir } from './account.js';
import { execute } from './execute.js';
import { download, fileRoute, upload } from './files.js';
import { daemonProblem, proxyProblem } from './problem.js';
import type { Sandbox } from './sandbox.js';
import { demultiplex } from './sessions.js';

/** How long a synchronous command of a session is waited for; the daemon would wait for ever. */
const lookMs = 10;

const routes = new Router<[Sandbox]>()
  .on('POST', '/process/execute', (exchange, _, sandbox) => execute(sandbox, exchange))
  .on('POST', '/process/session', async (exchange, _, { sessions }) => {
    sessions.create(String((await exchange.json())['sessionId']));
    await exchange.reply(201);
  })
  .on('GET', '/process/session', (exchange, _, { sessions }) => exchange.reply(200, sessions.list()))
  .on('GET', '/process/session/:id', (exchange, { id = '' }, { sessions }) => exchange.reply(200, sessions.describe(id)))
  .on('DELETE', '/process/session/:id', async (exchange, { id = '' }, { sessions }) => {
    await sessions.remove(id);
    await exchange.reply(204);
  })
  .on('POST', '/process/session/:id/exec', executeInSession)
  .on('GET', '/process/session/:id/command/:command', (exchange, { id = '', command = '' }, { sessions }) =>
    exchange.reply(200, sessions.record(sessions.command(id, command))),
  )
  .on('GET', '/process/session/:id/command/:command/logs', (exchange, { id = '', command = '' }, { sessions }) =>
    exchange.reply(200, demultiplex(sessions.log(sessions.command(id, command)))),
  )
  .on('POST', '/process/session/:id/command/:command/input', async (exchange, { id = '', command = '' }, { sessions }) => {
    await sessions.input(sessions.command(id, command), String((await exchange.json())['data']));
    await exchange.reply(204);
  })
  .on('GET', '/process/pty', (exchange, _, { ptys }) => exchange.reply(200, { sessions: ptys.list() }))
  .on('GET', '/process/pty/:id', (exchange, { id = '' }, { ptys }) => exchange.reply(200, ptys.describe(id)))
  .on('DELETE', '/process/pty/:id', async (exchange, { id = '' }, { ptys }) => {
    ptys.kill(id);
    await exchange.reply(200, {});
  })
  .on('POST', '/process/pty/:id/resize', async (exchange, { id = '' }, { ptys }) => {
    const { cols, rows } = await exchange.json();
    ptys.resize(id, Number(cols), Number(rows));
    await exchange.reply(200, ptys.describe(id));
  })
  .on('POST', '/files/bulk-upload', (exchange, _, sandbox) => upload(sandbox, exchange))
  .on('POST', '/files/bulk-download', (exchange, _, sandbox) => download(sandbox, exchange))
  .on('GET', '/user-home-dir', (exchange) => exchange.reply(200, { dir: workdir }))
  .on('GET', '/work-dir', (exchange) => exchange.reply(200, { dir: workdir }))
  .on('GET', '/version', (exchange) => exchange.reply(200, { version: '0.190.0' }));

/** A request to the daemon in one sandbox. The proxy in front refuses it when no daemon runs. */
export async function serveToolbox(sandbox: Sandbox, exchange: Exchange, path: string): Promise<void> {
  requireUp(sandbox);
  const found = routes.find(exchange.method, path);
  if (found) return found.handler(exchange, found.parameters, sandbox);
  if (await fileRoute(sandbox, exchange, `${exchange.method} ${path}`)) return;
  throw daemonProblem(404, `no route ${exchange.method} ${path}`);
}

/** @throws 400 from the proxy, for a sandbox that is not started. */
export function requireUp(sandbox: Sandbox): void {
  const { state, up } = sandbox.box;
  if (state === 'destroying' || state === 'destroyed') throw proxyProblem(404, 'sandbox not found');
  if (!up || (state !== 'started' && state !== 'snapshotting'))
    throw proxyProblem(400, 'bad request: failed to resolve container IP after 3 attempts: no IP address found. Is the Sandbox started?');
}

async function executeInSession(exchange: Exchange, { id = '' }: Readonly<Record<string, string>>, { sessions }: Sandbox): Promise<void> {
  const body = await exchange.json();
  const async = Boolean(body['runAsync'] ?? body['async'] ?? false);
  const command = await sessions.start(id, String(body['command']), { async, suppressInputEcho: body['suppressInputEcho'] === true });
  if (async) return exchange.reply(202, { cmdId: command.id });
  const { signal } = exchange;
  while (sessions.exitCode(command) === undefined) {
    if (signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  await new Promise((resolve) => setTimeout(resolve, lookMs * 5));
  await exchange.reply(200, { cmdId: command.id, exitCode: sessions.exitCode(command), ...demultiplex(sessions.log(command)) });
}
