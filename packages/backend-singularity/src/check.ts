import type { CheckFinding } from '@petasos/core/backend';
import { localImage } from './image.js';
import type { SingularityOptions } from './options.js';
import { missingForOverlay, overlayRemedy } from './overlay.js';
import { missingProgramRemedy, type Site } from './site.js';
import { type Facts, survey } from './survey.js';

/** Findings of a machine, for `doctor`. */
export async function inspect(site: Site, options: SingularityOptions): Promise<readonly CheckFinding[]> {
  if (site.program === '')
    return [failed('program', `neither apptainer nor singularity is found on ${site.machine.title}`, missingProgramRemedy)];
  const image = localImage(options.image, site.home);
  const facts = await survey(site, image);
  if (!facts.has('version')) return [failed('program', `${site.program} does not run`, 'Run it by hand: it tells what it lacks.')];
  return [
    ...(options.slurm === undefined ? [] : [await scheduler(site, options.slurm.partition)]),
    ok('program', `${facts.get('version')} at ${site.program}`),
    namespaces(facts),
    imageFiles(facts),
    ...(options.overlayMiB > 0 ? [overlay(facts, options.overlayMiB)] : []),
    facts.has('state')
      ? ok('state', `records and overlays go to ${site.root}, ${Math.floor(Number(facts.get('free') ?? 0) / 1024)} MiB are free`)
      : failed('state', `${site.root} is not writable`, 'Set XDG_STATE_HOME or the option stateDirectory to a directory of yours.'),
    facts.has('image')
      ? ok('image', `the image is ${options.image}`)
      : failed('image', `the image ${image} cannot be read`, 'Correct the option image, or make the file readable.'),
  ];
}

async function scheduler(site: Site, partition: string | undefined): Promise<CheckFinding> {
  const { exitCode, stdout } = await site.machine.run(['sinfo', '--noheader', '--format=%R'], { timeoutMs: 15_000 });
  if (exitCode !== 0) {
    return failed(
      'slurm',
      `SLURM does not answer on ${site.machine.title}`,
      'Check that sinfo runs there, and that SLURM_CONF is set if it must be.',
    );
  }
  const partitions = [...new Set(stdout.split('\n').filter((name) => name !== ''))];
  if (partition === undefined || partitions.includes(partition))
    return ok('slurm', `SLURM answers; its partitions: ${partitions.join(', ')}`);
  return failed('slurm', `there is no partition ${partition}`, `Choose one of ${partitions.join(', ')}.`);
}

function namespaces(facts: Facts): CheckFinding {
  if (facts.get('userns') === 'yes') return ok('namespaces', 'user namespaces work for this user');
  if (facts.has('setuid')) return ok('namespaces', 'no user namespaces, but a setuid installation does without');
  return failed(
    'namespaces',
    'this user may not make user namespaces, and the installation is not setuid',
    'Ask the administrator for user.max_user_namespaces (and kernel.unprivileged_userns_clone, or an AppArmor profile), or for the package apptainer-suid.',
  );
}

function imageFiles(facts: Facts): CheckFinding {
  if (facts.has('setuid') || (facts.has('squashfuse') && facts.has('fuse'))) return ok('image-files', 'image files are mounted');
  const lacks = facts.has('squashfuse') ? '/dev/fuse may not be opened by this user' : 'squashfuse is not installed';
  return {
    id: 'singularity.image-files',
    status: 'warning',
    message: `${lacks}: a SIF file is unpacked each time a sandbox starts, or not at all`,
    remedy: 'Install squashfuse and give the user /dev/fuse, or use a sandbox directory as image.',
  };
}

function overlay(facts: Facts, overlayMiB: number): CheckFinding {
  const missing = missingForOverlay(facts);
  if (missing === undefined) return ok('overlay', `overlays of ${overlayMiB} MiB can be made`);
  return failed('overlay', `no overlay of a size can be made: ${missing}`, overlayRemedy);
}

function ok(id: string, message: string): CheckFinding {
  return { id: `singularity.${id}`, status: 'ok', message };
}

function failed(id: string, message: string, remedy: string): CheckFinding {
  return { id: `singularity.${id}`, status: 'failed', message, remedy };
}
