import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Driver,
  type DriverPlacement,
  estimateCost,
  lifetimeWarnings,
  PetasosError,
  processOfCall,
  type SandboxState,
  type Warning,
  withRetries,
} from '@petasos/core/backend';
import { createCalls } from './calls.js';
import type { Daytona, Sandbox } from './client.js';
import { asPetasosError, isMissing, judge } from './errors.js';
import { createFiles } from './files.js';
import { refOf, snapshotPrefix } from './lifecycle.js';
import type { DaytonaOptions } from './options.js';
import { workdirLabel } from './parameters.js';
import { prices } from './price.js';
import { ensureStarted, ensureStopped, sandboxState } from './states.js';
import { openTerminal } from './terminal.js';

const snapshotSeconds = 600;
const forwardSeconds = 24 * 3600;
/** An answer this recent says that the sandbox is there without another request. */
const recentMs = 1_000;
/** Requests that have failed for this long are a lost connection and no passing trouble. */
const unreachableMs = 1_500;

export function createDriver(client: Daytona, sandbox: Sandbox, options: DaytonaOptions): Driver {
  const ref = refOf(sandbox);
  const { name } = ref;
  const calls = createCalls(sandbox, name);
  const retried = async <T>(operation: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await withRetries(work, { backend: 'daytona', operation, judge });
    } catch (error) {
      throw asPetasosError(error, { operation, sandbox: name });
    }
  };
  let asking: Promise<SandboxState> | undefined;
  const ask = async (): Promise<SandboxState> => {
    try {
      await sandbox.refreshData();
      return sandboxState(sandbox.state);
    } catch (error) {
      if (isMissing(error)) return 'gone';
      throw error;
    }
  };
  const workdir = sandbox.labels[workdirLabel];

  return {
    ref,
    ...(workdir !== undefined && { workdir }),
    files: createFiles(sandbox, calls, name),
    async placement() {
      await retried('placement', () => sandbox.refreshData());
      return placement(sandbox, options);
    },
    async spawn({ argv, env }) {
      return processOfCall(calls.run(argv, env));
    },
    async state() {
      if (calls.silentMs() < recentMs) return 'running';
      if (calls.unreachableMs() > unreachableMs)
        throw new PetasosError('disconnected', `the sandbox ${name} of daytona cannot be reached`, {
          backend: 'daytona',
          operation: 'state',
          retryable: true,
        });
      // Many commands ask at once; one request answers them all.
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    pause: () => ensureStopped({ sandbox, name, operation: 'pause' }),
    resume: () => ensureStarted({ sandbox, name, operation: 'resume' }),
    async snapshot() {
      const id = `${snapshotPrefix(ref)}${randomBytes(6).toString('hex')}`;
      await retried('snapshot', () => takeSnapshot(client, sandbox, id));
      return id;
    },
    terminal: (request) => openTerminal(sandbox, name, request),
    async forward(port) {
      const { url, token } = await retried('forward', () => sandbox.getSignedPreviewUrl(port, forwardSeconds));
      let closed = false;
      return {
        address: url,
        async close() {
          if (closed) return;
          closed = true;
          await sandbox.expireSignedPreviewUrl(port, token).catch(() => {});
        },
      };
    },
    async extend(ms) {
      const left = lifetimeLeft(sandbox) ?? 0;
      await retried('extend', () => sandbox.setTtl(Math.ceil((left + ms) / 60_000)));
    },
    close: () => calls.close(),
  };
}

/** The request may have done its work although its answer was lost, and a second one would fail on the name: so each looks first. */
async function takeSnapshot(client: Daytona, sandbox: Sandbox, id: string): Promise<void> {
  for (;;) {
    await sandbox.refreshData();
    if (sandbox.state !== 'snapshotting') break;
    await delay(200);
  }
  try {
    await client.snapshot.get(id);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await sandbox.createSnapshot(id, snapshotSeconds);
  }
}

function placement(sandbox: Sandbox, options: DaytonaOptions): DriverPlacement {
  const left = lifetimeLeft(sandbox);
  const allowed = [sandbox.networkAllowList, sandbox.domainAllowList].flatMap((list) => list?.split(',') ?? []);
  const image = /^FROM (\S+)/m.exec(sandbox.buildInfo?.dockerfileContent ?? '')?.[1] ?? sandbox.snapshot;
  return {
    machine: { name: sandbox.id, os: 'linux', region: sandbox.target, ...(image !== undefined && { image }) },
    mounts: [],
    network: sandbox.networkBlockAll ? { mode: 'none' } : allowed.length > 0 ? { mode: 'allowlist', allowed } : { mode: 'open' },
    limits: {},
    isolation: 'container',
    storage: options.persistent ? 'persistent' : 'ephemeral',
    lifetimeLeftMs: left,
    cost: estimateCost(prices, { cpus: sandbox.cpu, memoryMiB: sandbox.memory * 1024, diskGiB: sandbox.disk }),
    warnings: [
      ...autoStopWarning(sandbox),
      ...lifetimeWarnings({
        backend: 'daytona',
        leftMs: left,
        remedy: 'Extend its lifetime, or take a snapshot and open a new one from it.',
      }),
    ],
  };
}

function lifetimeLeft(sandbox: Sandbox): number | null {
  return sandbox.autoDestroyAt ? Math.max(0, new Date(sandbox.autoDestroyAt).getTime() - Date.now()) : null;
}

function autoStopWarning({ autoStopInterval }: Sandbox): Warning[] {
  if (!autoStopInterval) return [];
  return [
    {
      id: 'lifetime.auto-stop',
      message: `daytona stops this sandbox after ${autoStopInterval} min without a request, and what runs in it does not count`,
      remedy: 'Stay attached while a job runs, or set autoStopMinutes to 0 and stop it yourself.',
    },
  ];
}
