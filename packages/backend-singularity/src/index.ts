import { type Driver, defineBackend, isPetasosError } from '@petasos/core/backend';
import { inspect } from './check.js';
import { createDriver } from './driver.js';
import { failure, notFound } from './errors.js';
import { here } from './here.js';
import { obtainImage } from './image.js';
import { canEnforce, enforceableLimits } from './limits.js';
import { optionsSchema, type SingularityOptions } from './options.js';
import { requireOverlay } from './overlay.js';
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
import { prepareInside, type Runtime, type StartContext } from './runtime.js';
import { requireProgram, type Site } from './site.js';
import { keepOrClose, siteOf, withSite } from './sites.js';
import { isJobId, sandboxOfJob } from './slurm/job-reference.js';
import { slurm } from './slurm/runtime.js';
import { snapshotFor } from './snapshots.js';

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
    suits: ['cluster'],
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
    forward: sharesNetwork(options) ? 'tcp' : false,
    network: ['open', 'none'],
    limits: enforceableLimits(options),
    gpu: options.gpu !== 'none',
    idleStop: true,
    persistent: options.persistent,
    root: false,
  }),
  options: optionsSchema,
  secrets: ['APPTAINER_DOCKER_USERNAME', 'APPTAINER_DOCKER_PASSWORD', 'SINGULARITY_DOCKER_USERNAME', 'SINGULARITY_DOCKER_PASSWORD'],

  async check(options, host) {
    if (host.platform !== 'linux' && options.ssh === undefined) {
      const message = `containers of this kind need Linux, and this is ${host.platform}`;
      return [{ id: 'singularity.platform', status: 'failed', message, remedy: 'Use docker, or the option ssh with a Linux machine.' }];
    }
    return withSite(options, host.env, (site) => inspect(site, options));
  },

  prepare: (options, context) =>
    withSite(
      options,
      context.host.env,
      async (site) => {
        requireProgram(site);
        await obtainImage(site, options.image, context);
      },
      context,
    ),

  async create(options, spec) {
    const site = await siteOf(options, spec.hostEnv, spec);
    return keepOrClose(site, async () => {
      requireProgram(site);
      await requireOverlay(site, options);
      const origin = spec.from === undefined ? undefined : await snapshotFor(site, spec.from, options);
      const image = origin?.image ?? (await obtainImage(site, options.image, spec));
      await removeEnded(site, spec.name);
      const record = await publishRecord(site, spec, {
        image,
        imageName: origin?.imageName ?? options.image,
        workdir: spec.workdir ?? options.workdir ?? origin?.workdir ?? site.home,
        idleLimitMs: spec.idleLimitMs,
        lifetimeMs: spec.lifetimeMs ?? null,
        settings: settingsOf(options),
        limited: canEnforce(options),
        slurm: options.slurm,
      });
      try {
        const driver = await start(site, record, options, spec);
        await prepareInside(runtimeOf(site, record), record, site.home, origin !== undefined);
        return driver;
      } catch (error) {
        await removeRecord(site, record);
        throw error;
      }
    });
  },

  async attach(options, ref, context) {
    const site = await siteOf(options, context.hostEnv, context);
    return keepOrClose(site, async () => {
      const found = await current(site, ref.name);
      if (found?.record.id !== ref.id || found.state === 'gone') throw notFound(ref.name, 'attach');
      if (found.elsewhere !== undefined) throw runsElsewhere(ref.name, found.elsewhere);
      return start(site, found.record, options, context).catch((error: unknown) => {
        throw isPetasosError(error, 'destroyed') ? notFound(ref.name, 'attach') : error;
      });
    });
  },

  find: (options, name, host) =>
    withSite(options, host.env, async (site) => {
      const found = await current(site, name);
      if (found) return found.state === 'gone' ? undefined : refOf(found.record);
      return options.slurm !== undefined && isJobId(name) ? sandboxOfJob(site, name) : undefined;
    }),

  list: (options, host) =>
    withSite(options, host.env, async (site) => {
      const records = await listRecords(site);
      // A controller that does not answer keeps nobody from the list: what it was asked for counts as running until it says otherwise.
      const found = await withStates(site, records).catch((error: unknown) => {
        if (isPetasosError(error, 'unavailable')) return records;
        throw error;
      });
      return found.map(({ record, state }) => ({
        ref: refOf(record),
        state,
        createdAt: new Date(record.createdAt),
        owner: record.labels['petasos.owner'] ?? '',
        labels: record.labels,
      }));
    }),

  destroy: (options, ref, host) => withSite(options, host.env, (site) => removeRecord(site, ref)),
});

/** Whether a port inside is a port of this machine. */
function sharesNetwork(options: SingularityOptions): boolean {
  return options.network === 'open' && options.ssh === undefined && options.slurm === undefined;
}

function runtimeOf(site: Site, record: SandboxRecord): Runtime {
  return record.slurm === undefined ? here(site) : slurm(site);
}

async function start(site: Site, record: SandboxRecord, options: SingularityOptions, context: StartContext): Promise<Driver> {
  const runtime = runtimeOf(site, record);
  await runtime.start(record, context);
  if (context.signal?.aborted) throw failure('aborted', `opening ${record.name} was aborted`, { operation: 'open' });
  return createDriver(site, runtime, record, sharesNetwork(options));
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
