import { type Exchange, HttpProblem } from '../core/index.js';
import { type Account, newId, type Sandbox } from './account.js';
import { planEnd, removeSandbox, resume, startSession } from './lifecycle.js';
import { setRoutes } from './routes.js';
import { networkPolicyOf, routesJson, sandboxJson, wholeJson, workdir } from './wire.js';

const defaultTimeoutMs = 5 * 60 * 1000;
const mostTags = 5;
const home = '/home/vercel-sandbox';

export async function createSandbox(account: Account, exchange: Exchange): Promise<void> {
  const body = await exchange.json();
  requireProject(account, body.projectId);
  account.admitCreation();
  const { knobs } = account;
  const name = typeof body.name === 'string' ? body.name : newId('sbx');
  if (account.sandboxes.has(name)) throw new HttpProblem(knobs.duplicateStatus, `the name ${name} is taken`, { code: 'conflict' });
  const source = body.source as { type?: string; snapshotId?: string } | undefined;
  const { runtime, image } = body as { runtime?: string; image?: string };
  if (source !== undefined && (runtime !== undefined || image !== undefined))
    throw new HttpProblem(400, 'a snapshot has its own runtime', { code: 'bad_request' });
  const snapshot = source?.snapshotId === undefined ? undefined : account.store.findSnapshot(source.snapshotId);
  if (source !== undefined && snapshot === undefined)
    throw new HttpProblem(410, 'there is no such snapshot', { code: 'snapshot_not_found' });
  const vcpus = (body.resources as { vcpus?: number } | undefined)?.vcpus ?? knobs.defaultVcpus;
  if (vcpus > knobs.maxVcpus) throw new HttpProblem(400, `at most ${knobs.maxVcpus} vCPUs`, { code: 'bad_request' });
  const tags = (body.tags ?? {}) as Record<string, string>;
  if (Object.keys(tags).length > mostTags) throw new HttpProblem(400, `at most ${mostTags} tags`, { code: 'bad_request' });
  // Taken before anything is waited for: of two that ask at once one is refused.
  const draft = { name } as Sandbox;
  account.sandboxes.set(name, draft);
  try {
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, ...(body.env as Record<string, string> | undefined) };
    const box = await account.store.create({
      id: newId('box'),
      name,
      state: 'pending',
      labels: tags,
      env,
      workdir,
      directories: [home],
      from: snapshot?.directory,
    });
    const at = account.now();
    const rest: Omit<Sandbox, 'session'> = {
      name,
      persistent: body.persistent !== false,
      createdAt: at,
      updatedAt: at,
      runtime,
      image: runtime === undefined && snapshot === undefined ? (image ?? 'vercel/sandbox/universal:latest') : undefined,
      vcpus,
      routes: new Map(),
      box,
      tags,
      timeoutMs: checkedTimeout(account, body.timeout),
      networkPolicy: networkPolicyOf(body.networkPolicy),
      snapshotId: snapshot?.id,
    };
    const sandbox: Sandbox = { ...rest, session: await startSession(account, rest, snapshot?.id) };
    await setRoutes(sandbox, (body.ports ?? []) as number[]);
    account.sandboxes.set(name, sandbox);
    planEnd(account, sandbox);
    await exchange.reply(200, wholeJson(account, sandbox, false));
  } catch (error) {
    if (account.sandboxes.get(name) === draft) account.sandboxes.delete(name);
    throw error;
  }
}

function checkedTimeout(account: Account, asked: unknown): number {
  const timeoutMs = typeof asked === 'number' ? asked : defaultTimeoutMs;
  if (timeoutMs <= account.knobs.maxTimeoutMs) return timeoutMs;
  throw new HttpProblem(400, `the timeout may be ${account.knobs.maxTimeoutMs} ms at most`, { code: 'bad_request' });
}

export async function getSandbox(account: Account, exchange: Exchange, name: string): Promise<void> {
  requireProject(account, exchange.url.searchParams.get('projectId'));
  const sandbox = made(account.sandbox(name));
  const wanted = exchange.url.searchParams.get('resume') === 'true';
  const resumed = wanted && (await resume(account, sandbox));
  await exchange.reply(200, wholeJson(account, sandbox, resumed));
}

/** One that is still being made is not there yet. */
function made(sandbox: Sandbox): Sandbox {
  if (sandbox.session !== undefined) return sandbox;
  throw new HttpProblem(404, `there is no sandbox ${sandbox.name}`, { code: 'not_found' });
}

export async function listSandboxes(account: Account, exchange: Exchange): Promise<void> {
  const query = exchange.url.searchParams;
  requireProject(account, query.get('project'));
  const tags = query.getAll('tags');
  if (tags.length > 1) throw new HttpProblem(400, 'one tag at most', { code: 'bad_request' });
  const [key = '', ...value] = (tags[0] ?? '').split(':');
  const found = [...account.sandboxes.values()].filter(
    (sandbox) =>
      sandbox.session !== undefined &&
      sandbox.name.startsWith(query.get('namePrefix') ?? '') &&
      (tags.length === 0 || sandbox.tags[key] === value.join(':')),
  );
  const from = Number(query.get('cursor') ?? 0);
  const to = from + Math.min(Number(query.get('limit') ?? account.knobs.pageSize), account.knobs.pageSize);
  await exchange.reply(200, {
    sandboxes: found.slice(from, to).map((sandbox) => sandboxJson(account, sandbox)),
    pagination: { count: found.length, next: to < found.length ? String(to) : null },
  });
}

export async function updateSandbox(account: Account, exchange: Exchange, name: string): Promise<void> {
  const body = await exchange.json();
  const sandbox = made(account.sandbox(name));
  if (body.tags !== undefined) sandbox.tags = sandbox.box.labels = body.tags as Record<string, string>;
  if (body.timeout !== undefined) sandbox.timeoutMs = checkedTimeout(account, body.timeout);
  if (body.networkPolicy !== undefined) sandbox.networkPolicy = networkPolicyOf(body.networkPolicy);
  if (body.ports !== undefined) await setRoutes(sandbox, body.ports as number[]);
  sandbox.updatedAt = account.now();
  await exchange.reply(200, { sandbox: sandboxJson(account, sandbox), routes: routesJson(sandbox) });
}

export async function deleteSandbox(account: Account, exchange: Exchange, name: string): Promise<void> {
  requireProject(account, exchange.url.searchParams.get('projectId'));
  const sandbox = made(account.sandbox(name));
  await removeSandbox(account, sandbox, exchange.url.searchParams.get('deleteOrphanSnapshots') === 'true');
  await exchange.reply(200, { sandbox: sandboxJson(account, sandbox) });
}

function requireProject(account: Account, project: unknown): void {
  if (project !== account.knobs.projectId) throw new HttpProblem(403, 'the project is not yours', { code: 'forbidden' });
}
