import { destroyed, failure } from './errors.js';
import { reasonIn } from './image.js';
import { type RunOptions, runScript } from './machine/machine.js';
import { boundsAll } from './overlay.js';
import { instanceName, runsElsewhere, type SandboxRecord } from './records.js';
import { startFile } from './scripts/keeper.js';
import { startInstance } from './scripts/sandbox.js';
import { directoryOf, type Site } from './site.js';

/** How long the first command may be on its way. */
const arrivalMs = 15_000;

/** How often an instance looks whether it is idle: often enough for a short limit, seldom enough to cost nothing. */
function idleLooks(idleLimitMs: number): { readonly pause: string; readonly idle: string; readonly first: string } {
  const pauseMs = Math.min(5000, Math.max(200, Math.round(idleLimitMs / 8)));
  const looks = (ms: number) => String(Math.max(1, Math.ceil(ms / pauseMs)));
  return { pause: (pauseMs / 1000).toFixed(1), idle: looks(idleLimitMs), first: looks(Math.max(idleLimitMs, arrivalMs)) };
}

/** Arguments of `instance start` for this sandbox. */
export function startArguments(site: Site, record: SandboxRecord): readonly string[] {
  const { settings } = record;
  const directory = directoryOf(site, record.name);
  // The user who is root needs none of root's privileges in a container.
  const args = ['--cleanenv', ...(site.user.uid === 0 ? ['--no-privs'] : [])];
  const bounded = settings.overlayMiB > 0;
  if (settings.containall) {
    // In an overlay of a size home and temporary directories are its own: beside it they would have no bound.
    const own = bounded ? ['--no-mount', boundsAll(settings) ? 'home,tmp' : 'tmp'] : ['--workdir', `${directory}/work`];
    args.push('--containall', ...own);
  } else if (!settings.home) args.push('--no-home');
  if (settings.home && settings.containall) args.push('--home', site.home);
  // An image that this program has built starts the second; a bare directory has neither, and the first is tried.
  for (const target of ['/.singularity.d/actions/start', startFile]) args.push('--bind', `${directory}/start:${target}:ro`);
  for (const bind of settings.binds) args.push('--bind', bind.replace(/^~\//, `${site.home}/`));
  args.push(...(settings.persistent ? ['--overlay', `${directory}/${bounded ? 'overlay.img' : 'overlay'}`] : ['--writable-tmpfs']));
  if (settings.network === 'none') args.push('--net', '--network', 'none');
  if (settings.gpu !== 'none') args.push(settings.gpu === 'nvidia' ? '--nv' : '--rocm');
  if (record.limited) {
    if (settings.cpus > 0) args.push('--cpus', String(settings.cpus));
    if (settings.memoryMiB > 0) args.push('--memory', `${settings.memoryMiB}M`);
    if (settings.pids > 0) args.push('--pids-limit', String(settings.pids));
  }
  const left = lifetimeLeftMs(record);
  const lifetime = left === null ? 0 : Math.max(1, Math.ceil(left / 1000));
  const { pause, idle, first } = idleLooks(record.idleLimitMs);
  return [...args, record.image, instanceName(record), pause, idle, String(lifetime), first];
}

export function lifetimeLeftMs(record: SandboxRecord): number | null {
  if (record.lifetimeMs === null) return null;
  return Math.max(0, Date.parse(record.createdAt) + record.lifetimeMs - Date.now());
}

/** Makes sure that the sandbox's instance runs on the machine; of several that try, one starts it. */
export async function ensureInstance(site: Site, record: SandboxRecord, { signal }: Pick<RunOptions, 'signal'> = {}): Promise<void> {
  const args = [directoryOf(site, record.name), site.program, instanceName(record), ...startArguments(site, record)];
  const { exitCode, stdout, stderr } = await runScript(site.machine, startInstance, args, { signal, timeoutMs: 300_000 });
  if (exitCode === 0) return;
  if (exitCode === 6) throw destroyed(record);
  if (exitCode === 7) throw runsElsewhere(record.name, stdout.trim());
  throw startFailure(site, record, stderr);
}

function startFailure(site: Site, record: SandboxRecord, stderr: string): Error {
  return failure('place-failed', `the container of ${record.name} does not start from ${record.imageName}: ${reasonIn(stderr)}`, {
    operation: 'open',
    remedy: `petasos doctor singularity tells what ${site.machine.title} lacks.`,
  });
}
