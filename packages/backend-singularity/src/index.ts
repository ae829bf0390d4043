import { type Driver, defineBackend, type HostInfo, isPetasosError } from '@petasos/core/backend';
import { inspect } from './check.js';
import { createDriver } from './driver.js';
import { failure, notFound } from './errors.js';
import { here } from './here.js';
import { obtainImage } from './image.js';
import { canEnforce, enforceableLimits } from './limits.js';
import { localMachine } from './machine/local.js';
import { behind } from './machine/machine.js';
import { optionsSchema, type SingularityOptions } from './options.js';
import {
  type Found,
  findRecord,
  listRecords,
  publishRecord,
  refOf,
  removeRecord,
  runsElsewhere,
  type SandboxRecord,
  settingsOf,
} from './records.js';
import type { Runtime, StartContext } from './runtime.js';
import { requireProgram, type Site, visit } from './site.js';
import { slurm } from './slurm/runtime.js';
import { findSnapshot } from './snapshots.js';

export type { SingularityOptions } from './options.js';

/** Commands run in an Apptainer or Singularity container of an ordinary user. Linux. */
const singularity = defineBackend<SingularityOptions>({
  name: 'singularity',
  contract: 1,
  traits: {
    title: 'Singularity / Apptainer',
    isolation: 'container without root',
    startup: '~ 0.5 s',
    cost: 'free',
    persistence: 'overlay directory',
    goodFor: 'clusters, shared machines without Docker',
  },
  capabilities: (options) => ({
    stdin: 'stream',
    streams: 'separate',
    bytes: 'bytes',
    terminal: false,
    files: 'derived',
    pause: false,
    snapshot: options.persistent ? 'new-sandbox' : false,
    reattach: true,
    forward: false,
    network: ['open', 'none'],
    limits: options.slurm ? [] : enforceableLimits(options),
    gpu: options.gpu !== 'none',
    idleStop: true,
    persistent: options.persistent,
    root: false,
  }),
  options: optionsSchema,
  secrets: ['APPTAINER_DOCKER_USERNAME', 'APPTAINER_DOCKER_PASSWORD', 'SINGULARITY_DOCKER_USERNAME', 'SINGULARITY_DOCKER_PASSWORD'],

  async check(options, host) {
    if (host.platform !== 'linux') {
      const message = `containers of this kind need Linux, and this is ${host.platform}`;
      return [{ id: 'singularity.platform', status: 'failed', message, remedy: 'Use docker, or ssh to a Linux machine.' }];
    }
    return inspect(await siteOf(options, host.env), options);
  },

  async prepare(options, context) {
    const site = await siteOf(options, context.host.env);
    requireProgram(site);
    await obtainImage(site, options.image, context);
  },

  async create(options, spec) {
    const site = await siteOf(options, spec.hostEnv);
    requireProgram(site);
    const origin = spec.from === undefined ? undefined : await findSnapshot(site, spec.from);
    const image = origin?.image ?? (await obtainImage(site, options.image, spec));
    await removeEnded(site, spec.name);
    const record = await publishRecord(site, spec, {
      image,
      imageName: origin?.imageName ?? options.image,
      workdir: spec.workdir ?? options.workdir ?? origin?.workdir ?? site.home,
      idleLimitMs: spec.idleLimitMs,
      lifetimeMs: spec.lifetimeMs ?? null,
      settings: settingsOf(options),
      limited: options.slurm === undefined && canEnforce(options),
      slurm: options.slurm,
    });
    try {
      return await start(site, record, spec);
    } catch (error) {
      await removeRecord(site, record);
      throw error;
    }
  },

  async attach(options, ref, context) {
    const site = await siteOf(options, context.hostEnv);
    const found = await current(site, ref.name);
    if (found?.record.id !== ref.id || found.state === 'gone') throw notFound(ref.name, 'attach');
    if (found.elsewhere !== undefined) throw runsElsewhere(ref.name, found.elsewhere);
    return start(site, found.record, context).catch((error: unknown) => {
      throw isPetasosError(error, 'destroyed') ? notFound(ref.name, 'attach') : error;
    });
  },

  async find(options, name, host) {
    const found = await current(await siteOf(options, host.env), name);
    return found && found.state !== 'gone' ? refOf(found.record) : undefined;
  },

  async list(options, host) {
    const site = await siteOf(options, host.env);
    const found = await withStates(site, await listRecords(site));
    return found.map(({ record, state }) => ({
      ref: refOf(record),
      state,
      createdAt: new Date(record.createdAt),
      owner: record.labels['petasos.owner'] ?? '',
      labels: record.labels,
    }));
  },

  async destroy(options, ref, host) {
    await removeRecord(await siteOf(options, host.env), ref);
  },
});

function siteOf(options: SingularityOptions, env: HostInfo['env']): Promise<Site> {
  return visit(behind(localMachine(env), options.launcher), options);
}

function runtimeOf(site: Site, record: SandboxRecord): Runtime {
  return record.slurm === undefined ? here(site) : slurm(site);
}

async function start(site: Site, record: SandboxRecord, context: StartContext): Promise<Driver> {
  const runtime = runtimeOf(site, record);
  await runtime.start(record, context);
  if (context.signal?.aborted) throw failure('aborted', `opening ${record.name} was aborted`, { operation: 'open' });
  return createDriver(site, runtime, record);
}

/** What only SLURM knows is asked of it once for all. */
async function withStates(site: Site, found: readonly Found[]): Promise<readonly Found[]> {
  const given = found.filter(({ record }) => record.slurm !== undefined);
  if (given.length === 0) return found;
  const states = await slurm(site).states(given);
  return found.map((one) => ({ ...one, state: states[given.indexOf(one)] ?? one.state }));
}

async function current(site: Site, name: string): Promise<Found | undefined> {
  const found = await findRecord(site, name);
  return found && (await withStates(site, [found]))[0];
}

/** One that kept nothing and has ended is over, whatever its directory says: the name is free again. */
async function removeEnded(site: Site, name: string): Promise<void> {
  const found = await current(site, name);
  if (found?.state === 'gone') await removeRecord(site, found.record);
}

export default singularity;
