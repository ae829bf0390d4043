import { randomBytes } from 'node:crypto';
import type { CreateSpec, SandboxRef, SandboxState } from '@petasos/core/backend';
import { failure } from './errors.js';
import { reasonIn } from './image.js';
import { runScript } from './machine/machine.js';
import type { SingularityOptions } from './options.js';
import { fillArguments, overlayRemedy } from './overlay.js';
import { keeper } from './scripts/keeper.js';
import { publish, remove, show } from './scripts/sandbox.js';
import { lastLine, type Site } from './site.js';
import type { SlurmOptions } from './slurm/options.js';

/** What decides how the container of a sandbox is started: kept with it, so that it starts the same way again. */
export type Settings = Pick<
  SingularityOptions,
  'binds' | 'containall' | 'home' | 'persistent' | 'overlayMiB' | 'cpus' | 'memoryMiB' | 'pids' | 'diskMiB' | 'network' | 'gpu'
>;

export function settingsOf({
  binds,
  containall,
  home,
  persistent,
  overlayMiB,
  cpus,
  memoryMiB,
  pids,
  diskMiB,
  network,
  gpu,
}: SingularityOptions): Settings {
  return { binds, containall, home, persistent, overlayMiB, cpus, memoryMiB, pids, diskMiB, network, gpu };
}

export interface SandboxRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Path of the image file or directory. */
  readonly image: string;
  /** As the user named it. */
  readonly imageName: string;
  readonly workdir: string;
  readonly idleLimitMs: number;
  readonly lifetimeMs: number | null;
  readonly settings: Settings;
  /** What is asked of SLURM, where it gives the node. */
  readonly slurm?: SlurmOptions | undefined;
  /** Whether the limits among the settings are in force. */
  readonly limited: boolean;
}

export interface Found {
  readonly record: SandboxRecord;
  readonly state: SandboxState;
  /** Whether an instance runs it, which processes can join; else they are started at its door. */
  readonly instance: boolean;
  /** Id of its job in SLURM. */
  readonly job?: string | undefined;
  /** The host that runs it, where that is not the one asked. */
  readonly elsewhere?: string | undefined;
}

export function refOf(record: SandboxRecord): SandboxRef {
  return { backend: 'singularity', id: record.id, name: record.name };
}

/** Name of the instance: unique for the user on every host that shares the home directory. */
export function instanceName(record: Pick<SandboxRecord, 'id'>): string {
  return `petasos-${record.id}`;
}

/** @throws `sandbox-exists` when the name is taken, also by a process that takes it at this moment. */
export async function publishRecord(
  site: Site,
  spec: CreateSpec,
  facts: Omit<SandboxRecord, 'id' | 'name' | 'createdAt' | 'labels'>,
): Promise<SandboxRecord> {
  const record: SandboxRecord = {
    id: randomBytes(8).toString('hex'),
    name: spec.name,
    createdAt: new Date().toISOString(),
    labels: spec.labels,
    ...facts,
  };
  const { settings } = record;
  const overlay = [site.program, String(settings.overlayMiB), ...fillArguments(settings, site.home)];
  const args = [site.root, record.name, record.id, keeper, spec.from ?? '', ...overlay];
  const { exitCode, stderr } = await runScript(site.machine, publish, args, { input: `${JSON.stringify(record)}\n` });
  if (exitCode === 0) return record;
  if (exitCode === 8) {
    throw failure('place-failed', `the overlay of ${spec.name} cannot be made: ${reasonIn(stderr)}`, {
      operation: 'create',
      remedy: overlayRemedy,
    });
  }
  if (exitCode === 3) throw failure('sandbox-exists', `singularity already has a sandbox named ${spec.name}`, { operation: 'create' });
  throw failure('place-failed', `the sandbox ${spec.name} cannot be recorded in ${site.root}: ${lastLine(stderr)}`, {
    operation: 'create',
    remedy: 'Make the directory writable, free space or quota, or set stateDirectory.',
  });
}

export async function findRecord(site: Site, name: string): Promise<Found | undefined> {
  return (await showRecords(site, [name]))[0];
}

/** All sandboxes of the user. */
export function listRecords(site: Site): Promise<readonly Found[]> {
  return showRecords(site, []);
}

async function showRecords(site: Site, names: readonly string[]): Promise<readonly Found[]> {
  const { exitCode, stdout, stderr } = await runScript(site.machine, show, [site.root, ...names], { timeoutMs: 20_000 });
  if (exitCode !== 0)
    throw failure('disconnected', `the sandboxes in ${site.root} cannot be read: ${lastLine(stderr)}`, { operation: 'list' });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map(parseFound);
}

function parseFound(line: string): Found {
  const [state = '', job = '-', way = '-'] = line.split(' ', 3);
  const record = JSON.parse(line.slice(state.length + job.length + way.length + 3)) as SandboxRecord;
  const common = { record, instance: way !== 'exec' };
  // Only SLURM can tell of what it runs.
  if (record.slurm !== undefined) return { ...common, state: 'running', ...(job !== '-' && { job }) };
  if (state.startsWith('on:')) return { ...common, state: 'running', elsewhere: state.slice(3) };
  // One that is about to start, or whose client went away before it did, is started by the next that attaches.
  if (state === 'running' || state === 'starting') return { ...common, state: 'running' };
  return { ...common, state: record.settings.persistent ? 'stopped' : 'gone' };
}

/** Ends the sandbox and removes all that it has on the machine. Succeeds when there is none. */
export async function removeRecord(site: Site, ref: Pick<SandboxRef, 'id' | 'name'>): Promise<void> {
  const { exitCode, stdout, stderr } = await runScript(site.machine, remove, [site.root, ref.name, ref.id, instanceName(ref)]);
  if (exitCode === 0) return;
  if (exitCode === 7) throw runsElsewhere(ref.name, stdout.trim());
  throw failure('place-failed', `the sandbox ${ref.name} is ended, but some of its files are left in ${site.root}: ${lastLine(stderr)}`, {
    operation: 'destroy',
    remedy: 'Remove the directory whose name starts with .gone by hand.',
  });
}

export function runsElsewhere(name: string, host: string): Error {
  return failure('unavailable', `the sandbox ${name} of singularity runs on ${host}`, {
    operation: 'attach',
    remedy: `Log in to ${host}, and use it from there.`,
    data: { host },
  });
}
