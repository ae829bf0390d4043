import type { Snapshot } from '../core/index.js';
import type { Account, NetworkPolicy, Sandbox } from './account.js';
import type { Command } from './command.js';

export const workdir = '/vercel/sandbox';
const region = 'iad1';

export function sessionJson(account: Account, sandbox: Sandbox, session = sandbox.session): Record<string, unknown> {
  return {
    id: session.id,
    memory: sandbox.vcpus * account.knobs.memoryMiBPerVcpu,
    vcpus: sandbox.vcpus,
    region,
    runtime: sandbox.runtime,
    timeout: session.timeoutMs,
    status: session.status,
    requestedAt: session.requestedAt,
    startedAt: session.requestedAt,
    createdAt: session.requestedAt,
    updatedAt: account.now(),
    stoppedAt: session.stoppedAt,
    cwd: workdir,
    sourceSnapshotId: session.sourceSnapshotId,
    networkPolicy: sandbox.networkPolicy,
  };
}

export function sandboxJson(account: Account, sandbox: Sandbox): Record<string, unknown> {
  return {
    name: sandbox.name,
    persistent: sandbox.persistent,
    region,
    vcpus: sandbox.vcpus,
    memory: sandbox.vcpus * account.knobs.memoryMiBPerVcpu,
    runtime: sandbox.runtime,
    image: sandbox.image,
    timeout: sandbox.timeoutMs,
    networkPolicy: sandbox.networkPolicy,
    createdAt: sandbox.createdAt,
    updatedAt: sandbox.updatedAt,
    currentSessionId: sandbox.session.id,
    currentSnapshotId: sandbox.snapshotId,
    status: sandbox.session.status,
    cwd: workdir,
    tags: sandbox.tags,
  };
}

export function routesJson(sandbox: Sandbox): readonly unknown[] {
  return [...sandbox.routes.values()].map(({ url, subdomain, port }) => ({ url, subdomain, port }));
}

export function wholeJson(account: Account, sandbox: Sandbox, resumed: boolean): Record<string, unknown> {
  return {
    sandbox: sandboxJson(account, sandbox),
    session: sessionJson(account, sandbox),
    routes: routesJson(sandbox),
    ...(resumed && { resumed }),
  };
}

export function snapshotJson(account: Account, snapshot: Snapshot): Record<string, unknown> {
  const at = snapshot.createdAt.getTime();
  return {
    id: snapshot.id,
    sourceSessionId: snapshot.origin,
    region,
    status: account.deletedSnapshots.has(snapshot.id) ? 'deleted' : 'created',
    sizeBytes: 1,
    createdAt: Math.round(at),
    updatedAt: Math.round(at),
  };
}

export function commandJson(command: Command): Record<string, unknown> {
  const { id, name, args, cwd, sessionId, startedAt, exitCode } = command;
  return { id, name, args, cwd, sessionId, startedAt, exitCode };
}

/** The request says `{mode}` or `{allow, subnets}`; answers have another shape. */
export function networkPolicyOf(asked: unknown): NetworkPolicy {
  if (typeof asked !== 'object' || asked === null) return { mode: 'allow-all' };
  if ('mode' in asked && (asked.mode === 'allow-all' || asked.mode === 'deny-all')) return { mode: asked.mode };
  const { allow, subnets } = asked as { allow?: unknown; subnets?: { allow?: readonly string[]; deny?: readonly string[] } };
  const domains = Array.isArray(allow) ? (allow as string[]) : Object.keys(allow ?? {});
  return {
    mode: 'custom',
    allowedDomains: domains,
    ...(subnets?.allow && { allowedCIDRs: subnets.allow }),
    ...(subnets?.deny && { deniedCIDRs: subnets.deny }),
  };
}
