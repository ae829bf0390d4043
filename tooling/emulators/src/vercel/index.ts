import { type EmulatedService, type EmulatorLayer, type Exchange, HttpProblem, serveHttp } from '../core/index.js';
import { Account } from './account.js';
import { commandLogs, describeCommand, killCommand, runCommand } from './command.js';
import { makeDirectory, readFile, writeFiles } from './files.js';
import { defaultKnobs, type VercelKnobs } from './knobs.js';
import { removeSandbox, stopSession } from './lifecycle.js';
import { createSandbox, deleteSandbox, getSandbox, listSandboxes, updateSandbox } from './sandboxes.js';
import { describeSession, extendTimeout, getSnapshot, setNetworkPolicy, stop, takeSnapshot } from './sessions.js';
import { Terminals } from './terminal.js';

type Handler = (account: Account, exchange: Exchange, ...names: string[]) => Promise<void>;

const session = '/v2/sandboxes/sessions/([^/]+)';

/** Methods and paths; the more particular ones first. */
const routes: readonly (readonly [string, Handler])[] = [
  ['POST /v[23]/sandboxes', createSandbox],
  ['GET /v2/sandboxes', listSandboxes],
  [`GET ${session}`, describeSession],
  [`POST ${session}/cmd`, runCommand],
  [`GET ${session}/cmd/([^/]+)`, describeCommand],
  [`GET ${session}/cmd/([^/]+)/logs`, commandLogs],
  [`POST ${session}/cmd/([^/]+)/kill`, killCommand],
  [`POST ${session}/fs/write`, writeFiles],
  [`POST ${session}/fs/read`, readFile],
  [`POST ${session}/fs/mkdir`, makeDirectory],
  [`POST ${session}/stop`, stop],
  [`POST ${session}/snapshot`, takeSnapshot],
  [`POST ${session}/extend-timeout`, extendTimeout],
  [`POST ${session}/network-policy`, setNetworkPolicy],
  ['GET /v2/sandboxes/snapshots/([^/]+)', (account, exchange, id = '') => getSnapshot(account, exchange, id, false)],
  ['DELETE /v2/sandboxes/snapshots/([^/]+)', (account, exchange, id = '') => getSnapshot(account, exchange, id, true)],
  ['GET /v2/sandboxes/([^/]+)', getSandbox],
  ['PATCH /v2/sandboxes/([^/]+)', updateSandbox],
  ['DELETE /v2/sandboxes/([^/]+)', deleteSandbox],
];
const table = routes.map(([pattern, handler]) => [new RegExp(`^${pattern}$`), handler] as const);

/** The sandbox service of Vercel, as `@vercel/sandbox` 3.5.0 speaks to it. */
const layer: EmulatorLayer<VercelKnobs> = {
  name: 'vercel',
  knobs: defaultKnobs,
  async start(context): Promise<EmulatedService> {
    const account = new Account(context);
    const terminals = new Terminals(account);
    const server = await serveHttp({
      requests: context.requests,
      faults: context.faults,
      handle: (exchange) => handle(account, exchange, (sessionId) => terminals.admit(exchange, sessionId, server.url)),
      upgrade: (request, socket, head) => terminals.accept(request, socket, head),
      problem: ({ message, details }) => ({ error: { code: details.code ?? 'internal', message } }),
    });
    return {
      url: server.url,
      env: {
        VERCEL_TOKEN: context.knobs.token,
        VERCEL_TEAM_ID: context.knobs.teamId,
        VERCEL_PROJECT_ID: context.knobs.projectId,
        PETASOS_VERCEL_API_URL: server.url,
      },
      state: () => ({
        boxes: [...account.sandboxes.values()]
          .filter((sandbox) => sandbox.session !== undefined)
          .map(({ box, name, tags, session: { status } }) => ({ id: box.id, name, state: status, labels: tags, processes: box.running })),
        snapshots: account.store.snapshots().map(({ id, name, origin }) => ({ id, name, origin })),
      }),
      act: (action, box) => act(account, action, box),
      async close() {
        await server.close();
        for (const sandbox of [...account.sandboxes.values()])
          if (sandbox.session !== undefined) await removeSandbox(account, sandbox, true);
        await account.store.clear();
      },
    };
  },
};

const interactive = new RegExp(`^POST ${session}/interactive$`);

async function handle(account: Account, exchange: Exchange, openTerminal: (sessionId: string) => Promise<void>): Promise<void> {
  await account.frozen;
  const { token, teamId } = account.knobs;
  if (exchange.request.headers.authorization !== `Bearer ${token}`)
    throw new HttpProblem(403, 'the token is not valid', { code: 'forbidden' });
  if (exchange.url.searchParams.get('teamId') !== teamId) throw new HttpProblem(403, 'the team is not yours', { code: 'forbidden' });
  const answer = exchange.own('answer');
  if (answer !== undefined) {
    const { status, code, headers } = answer.data as { status: number; code: string; headers?: Record<string, string> };
    throw new HttpProblem(status, 'a fault was asked for', { code }, headers);
  }
  const asked = `${exchange.method} ${exchange.url.pathname}`;
  const terminal = interactive.exec(asked);
  if (terminal !== null) return openTerminal(decodeURIComponent(terminal[1] ?? ''));
  for (const [pattern, handler] of table) {
    const match = pattern.exec(asked);
    if (match !== null) return handler(account, exchange, ...match.slice(1).map(decodeURIComponent));
  }
  throw new HttpProblem(404, `there is no ${asked}`, { code: 'not_found' });
}

/** Behind the client's back. */
async function act(account: Account, action: string, name: string | undefined): Promise<void> {
  if (action === 'freeze') return account.freeze();
  if (action === 'thaw') return account.thaw();
  const sandbox = account.sandbox(name ?? '');
  if (action === 'gone') await removeSandbox(account, sandbox, true);
  else if (action === 'stop' || action === 'expire') await stopSession(account, sandbox);
  else if (action === 'lose-snapshot') {
    const snapshot = account.store.findSnapshot(sandbox.snapshotId ?? '');
    if (snapshot !== undefined) await account.store.removeSnapshot(snapshot);
  } else throw new Error(`the emulator of vercel cannot ${action}`);
}

export default layer;
