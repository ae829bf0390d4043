import { type Exchange, HttpProblem } from '../core/index.js';
import type { Account } from './account.js';
import { planEnd, snapshotSession, stopSession } from './lifecycle.js';
import { networkPolicyOf, routesJson, sandboxJson, sessionJson, snapshotJson } from './wire.js';

export async function describeSession(account: Account, exchange: Exchange, id: string): Promise<void> {
  const sandbox = [...account.sandboxes.values()].find(({ session }) => session?.id === id);
  if (sandbox === undefined) throw new HttpProblem(404, `there is no session ${id}`, { code: 'not_found' });
  await exchange.reply(200, { session: sessionJson(account, sandbox), routes: routesJson(sandbox) });
}

export async function stop(account: Account, exchange: Exchange, id: string): Promise<void> {
  const { sandbox } = account.live(id);
  const snapshot = await stopSession(account, sandbox);
  await exchange.reply(200, {
    session: sessionJson(account, sandbox),
    sandbox: sandboxJson(account, sandbox),
    ...(snapshot && { snapshot: snapshotJson(account, snapshot) }),
  });
}

export async function takeSnapshot(account: Account, exchange: Exchange, id: string): Promise<void> {
  await exchange.bytes();
  const { sandbox } = account.live(id);
  const snapshot = await snapshotSession(account, sandbox);
  await exchange.reply(200, { snapshot: snapshotJson(account, snapshot), session: sessionJson(account, sandbox) });
}

export async function extendTimeout(account: Account, exchange: Exchange, id: string): Promise<void> {
  const { duration } = await exchange.json();
  const { sandbox, session } = account.live(id);
  const timeoutMs = session.timeoutMs + Number(duration);
  if (!(timeoutMs <= account.knobs.maxTimeoutMs))
    throw new HttpProblem(400, `a session lives ${account.knobs.maxTimeoutMs} ms at most`, { code: 'bad_request' });
  session.timeoutMs = timeoutMs;
  planEnd(account, sandbox);
  await exchange.reply(200, { session: sessionJson(account, sandbox) });
}

export async function setNetworkPolicy(account: Account, exchange: Exchange, id: string): Promise<void> {
  const policy = networkPolicyOf(await exchange.json());
  const { sandbox } = account.live(id);
  sandbox.networkPolicy = policy;
  await exchange.reply(200, { session: sessionJson(account, sandbox) });
}

export async function getSnapshot(account: Account, exchange: Exchange, id: string, remove: boolean): Promise<void> {
  const snapshot = account.store.findSnapshot(id);
  if (snapshot === undefined) throw new HttpProblem(404, `there is no snapshot ${id}`, { code: 'not_found' });
  if (remove) {
    account.deletedSnapshots.add(id);
    await account.store.removeSnapshot(snapshot);
  }
  await exchange.reply(200, { snapshot: snapshotJson(account, snapshot) });
}
