import { type Exchange, Router, type Snapshot } from '../core/index.js';
import type { Account, Volume } from './account.js';
import type { Previews } from './preview.js';
import { apiProblem } from './problem.js';
import { type CreateBody, describe, type Sandbox } from './sandbox.js';

export interface ApiSettings {
  readonly account: Account;
  readonly previews: Previews;
  toolboxUrl(): string;
}

/** The API server's routes, below `/api`. */
export function apiRoutes({ account, previews, toolboxUrl }: ApiSettings): Router {
  const shown = (sandbox: Sandbox) => describe(sandbox, toolboxUrl());
  const with_ =
    (work: (sandbox: Sandbox, exchange: Exchange, parameters: Readonly<Record<string, string>>) => Promise<unknown> | unknown) =>
    async (exchange: Exchange, parameters: Readonly<Record<string, string>>) => {
      const sandbox = account.find(parameters['id'] ?? '');
      const answer = await work(sandbox, exchange, parameters);
      await exchange.reply(200, answer ?? shown(sandbox));
    };
  const background = (work: Promise<unknown>) => void work.catch(() => {});

  return new Router()
    .on('POST', '/sandbox', async (exchange) => exchange.reply(200, shown(await account.create((await exchange.json()) as CreateBody))))
    .on('GET', '/sandbox', async (exchange) => exchange.reply(200, page(account.list(), exchange.url.searchParams, shown)))
    .on(
      'GET',
      '/sandbox/:id',
      with_(() => undefined),
    )
    .on(
      'DELETE',
      '/sandbox/:id',
      with_((sandbox) => {
        background(account.remove(sandbox));
        return { ...shown(sandbox), state: 'destroying' };
      }),
    )
    .on(
      'POST',
      '/sandbox/:id/start',
      with_((sandbox) => account.start(sandbox)),
    )
    .on(
      'POST',
      '/sandbox/:id/stop',
      with_((sandbox) => background(account.stop(sandbox))),
    )
    .on(
      'POST',
      '/sandbox/:id/archive',
      with_((sandbox) => background(account.archive(sandbox))),
    )
    .on(
      'POST',
      '/sandbox/:id/snapshot',
      with_(async (sandbox, exchange) => {
        const { name } = await exchange.json();
        background(account.snapshot(sandbox, String(name)));
      }),
    )
    .on(
      'PUT',
      '/sandbox/:id/labels',
      with_(async ({ box }, exchange) => {
        box.labels = ((await exchange.json())['labels'] ?? {}) as Record<string, string>;
        return { labels: box.labels };
      }),
    )
    .on(
      'POST',
      '/sandbox/:id/autostop/:minutes',
      with_((sandbox, _, { minutes }) => {
        sandbox.autoStopInterval = Number(minutes);
        account.touch(sandbox);
      }),
    )
    .on(
      'POST',
      '/sandbox/:id/autoarchive/:minutes',
      with_((sandbox, _, { minutes }) => {
        sandbox.autoArchiveInterval = Number(minutes);
      }),
    )
    .on(
      'POST',
      '/sandbox/:id/autodelete/:minutes',
      with_((sandbox, _, { minutes }) => {
        sandbox.autoDeleteInterval = Number(minutes);
      }),
    )
    .on(
      'POST',
      '/sandbox/:id/ttl/:minutes',
      with_((sandbox, _, { minutes }) => account.endAfter(sandbox, Number(minutes))),
    )
    .on(
      'POST',
      '/sandbox/:id/last-activity',
      with_((sandbox) => account.touch(sandbox)),
    )
    .on(
      'GET',
      '/sandbox/:id/toolbox-proxy-url',
      with_(() => ({ url: toolboxUrl() })),
    )
    .on(
      'GET',
      '/sandbox/:id/ports/:port/signed-preview-url',
      with_(async (sandbox, exchange, { port }) => {
        const seconds = Number(exchange.url.searchParams.get('expiresInSeconds') ?? 60);
        return { sandboxId: sandbox.box.id, port: Number(port), ...(await previews.open(sandbox, Number(port), seconds)) };
      }),
    )
    .on('POST', '/sandbox/:id/ports/:port/signed-preview-url/:token/expire', async (exchange, { token = '' }) => {
      previews.expire(token);
      await exchange.reply(200, {});
    })
    .on('GET', '/snapshots', async (exchange) => {
      const origin = exchange.url.searchParams.get('sourceSandboxId');
      const items = account.store.snapshots().filter((snapshot) => origin === null || snapshot.origin === origin);
      await exchange.reply(200, { items: items.map(shownSnapshot), total: items.length, page: 1, totalPages: 1 });
    })
    .on('GET', '/snapshots/:id', async (exchange, { id }) => exchange.reply(200, shownSnapshot(findSnapshot(account, id))))
    .on('DELETE', '/snapshots/:id', async (exchange, { id }) => {
      await account.store.removeSnapshot(findSnapshot(account, id));
      await exchange.reply(204);
    })
    .on('GET', '/volumes', async (exchange) => exchange.reply(200, [...account.volumes.values()].map(shownVolume)))
    .on('POST', '/volumes', async (exchange) =>
      exchange.reply(200, shownVolume(await account.createVolume(String((await exchange.json())['name'])))),
    )
    .on('GET', '/volumes/by-name/:name', async (exchange, { name }) => {
      const volume = [...account.volumes.values()].find((one) => one.name === name);
      if (volume === undefined) throw apiProblem(404, `Volume with name ${name} not found`);
      await exchange.reply(200, shownVolume(volume));
    });
}

function findSnapshot(account: Account, id: string | undefined): Snapshot {
  const snapshot = account.store.findSnapshot(id ?? '');
  if (snapshot === undefined) throw apiProblem(404, `Snapshot ${id} not found`);
  return snapshot;
}

function page(all: readonly Sandbox[], query: URLSearchParams, shown: (sandbox: Sandbox) => unknown): Record<string, unknown> {
  const labels = Object.entries(JSON.parse(query.get('labels') ?? '{}') as Record<string, string>);
  const [name, states] = [query.get('name')?.toLowerCase(), query.getAll('states')];
  const found = all.filter(
    ({ box }) =>
      labels.every(([key, value]) => box.labels[key] === value) &&
      (name === undefined || box.name.toLowerCase().startsWith(name)) &&
      (states.length === 0 || states.includes(box.state)),
  );
  const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit') ?? 100)];
  const next = from + limit < found.length ? String(from + limit) : null;
  return { items: found.slice(from, from + limit).map(shown), nextCursor: next };
}

function shownSnapshot({ id, name, createdAt, origin }: Snapshot): Record<string, unknown> {
  const at = createdAt.toISOString();
  const sizes = { size: null, cpu: 1, gpu: 0, mem: 1, disk: 3 };
  return {
    id,
    general: false,
    name,
    state: 'active',
    ...sizes,
    entrypoint: null,
    errorReason: null,
    createdAt: at,
    updatedAt: at,
    lastUsedAt: null,
    sourceSandboxId: origin,
  };
}

function shownVolume({ id, name, createdAt }: Volume): Record<string, unknown> {
  return {
    id,
    name,
    organizationId: '',
    state: 'ready',
    createdAt: createdAt.toISOString(),
    updatedAt: createdAt.toISOString(),
    errorReason: null,
  };
}
