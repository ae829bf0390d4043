import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type EmulatedService, type EmulatorContext, type EmulatorLayer, type Exchange, serveHttp } from '../core/index.js';
import { Account } from './account.js';
import { apiRoutes } from './api.js';
import { type DaytonaKnobs, goodDay } from './knobs.js';
import { Outages } from './outages.js';
import { Previews } from './preview.js';
import { apiProblem } from './problem.js';
import { ToolboxSockets } from './sockets.js';
import { serveToolbox } from './toolbox.js';

/** Version of the SDK whose requests this was compared with. */
export const sdkVersion = '0.216.0';

async function start(context: EmulatorContext<DaytonaKnobs>): Promise<EmulatedService> {
  const account = new Account(context);
  const previews = new Previews(context.clock);
  const outages = new Outages();
  const sockets = new ToolboxSockets();
  const key = `dtn_${randomBytes(16).toString('hex')}`;
  const api = apiRoutes({ account, previews, toolboxUrl: () => `${server.url}/toolbox` });

  const authorize = (request: IncomingMessage) => {
    if (request.headers.authorization !== `Bearer ${key}`) throw apiProblem(401, 'Unauthorized');
  };

  const handle = async (exchange: Exchange) => {
    const { pathname } = exchange.url;
    authorize(exchange.request);
    if (context.knobs.latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, context.knobs.latencyMs));
    const toolbox = toolboxPath(pathname);
    if (toolbox) {
      const sandbox = account.find(toolbox.id);
      if (await outages.hold(sandbox.box.id, exchange.request)) return;
      account.touch(sandbox);
      return serveToolbox(sandbox, exchange, toolbox.path);
    }
    const found = pathname.startsWith('/api/') ? api.find(exchange.method, pathname.slice('/api'.length)) : undefined;
    if (found === undefined) throw apiProblem(404, `Cannot ${exchange.method} ${pathname}`);
    const named = found.parameters['id'] === undefined ? undefined : account.store.find(found.parameters['id']);
    if (named && (await outages.hold(named.id, exchange.request))) return;
    return found.handler(exchange, found.parameters);
  };

  const server = await serveHttp({
    requests: context.requests,
    faults: context.faults,
    handle,
    problem: ({ status, message, details }, { url }) => ({
      statusCode: status,
      message,
      ...details,
      path: url.pathname,
      timestamp: context.clock.date().toISOString(),
    }),
    upgrade(request, socket, head, logged, fault) {
      const toolbox = toolboxPath((request.url ?? '').split('?', 1)[0] ?? '');
      const box = toolbox && account.store.find(toolbox.id);
      if (toolbox === undefined || box === undefined || request.headers.authorization !== `Bearer ${key}`) return void socket.destroy();
      outages.watch(box.id, socket);
      const sandbox = account.find(box.id);
      account.touch(sandbox);
      sockets.accept(sandbox, toolbox.path, request, socket, head, logged, fault);
    },
  });

  return {
    url: `${server.url}/api`,
    env: { DAYTONA_API_URL: `${server.url}/api`, DAYTONA_API_KEY: key, DAYTONA_TARGET: 'us' },
    state: () => ({
      boxes: account.store.list().map(({ id, name, state, labels, running }) => ({ id, name, state, labels, processes: running })),
      snapshots: account.store.snapshots().map(({ id, name, origin }) => ({ id, name, origin })),
    }),
    async act(action, box) {
      const sandbox = account.find(box ?? '');
      if (action === 'stop') await account.stop(sandbox);
      else if (action === 'archive') await account.archive(sandbox);
      else if (action === 'gone') await account.remove(sandbox);
      else if (action === 'outage') outages.begin(sandbox.box.id);
      else if (action === 'freeze') outages.freeze(sandbox.box.id);
      else if (action === 'mend') outages.mend(sandbox.box.id);
      else throw new Error(`the emulator of daytona cannot ${action}`);
    },
    async close() {
      previews.close();
      await server.close();
      await account.store.clear();
    },
  };
}

function toolboxPath(pathname: string): { readonly id: string; readonly path: string } | undefined {
  const [, id, path] = /^\/toolbox\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
  return id === undefined || path === undefined ? undefined : { id, path };
}

const daytona: EmulatorLayer<DaytonaKnobs> = { name: 'daytona', knobs: goodDay, start };

export default daytona;
