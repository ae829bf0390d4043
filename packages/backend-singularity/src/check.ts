import type { CheckFinding } from '@petasos/core/backend';
import { localImage } from './image.js';
import { runScript } from './machine/machine.js';
import type { SingularityOptions } from './options.js';
import { missingProgramRemedy, type Site } from './site.js';

/** What the machine has, one `name=value` a line. `$1`: the program, `$2`: the directory for state, `$3`: a local image or nothing. */
const survey = `
"$1" --version 2>/dev/null | sed -n 's/^/version=/p'
settings=$("$1" buildcfg 2>/dev/null)
starter=$(printf '%s\\n' "$settings" | sed -n 's/^LIBEXECDIR=//p')
for file in "$starter"/*/bin/starter-suid; do [ -u "$file" ] && echo setuid=yes; done
if command -v unshare >/dev/null 2>&1; then unshare --user true 2>/dev/null && echo userns=yes || echo userns=no
elif [ "$(cat /proc/sys/user/max_user_namespaces 2>/dev/null || echo 0)" -gt 0 ]; then echo userns=yes
else echo userns=no
fi
{ command -v squashfuse || command -v squashfuse_ll || ls "$starter"/*/bin/squashfuse_ll; } >/dev/null 2>&1 && echo squashfuse=yes
[ -r /dev/fuse ] && [ -w /dev/fuse ] && echo fuse=yes
command -v mksquashfs >/dev/null 2>&1 && echo mksquashfs=yes
dir=$2
while [ ! -e "$dir" ]; do dir=\${dir%/*}; dir=\${dir:-/}; done
[ -w "$dir" ] && echo state=yes
df -Pk "$dir" 2>/dev/null | awk 'NR == 2 { print "free=" $4 }'
if [ -z "$3" ] || [ -r "$3" ]; then echo image=yes; fi
true
`;

type Facts = ReadonlyMap<string, string>;

/** Findings of a machine, for `doctor`. */
export async function inspect(site: Site, options: SingularityOptions): Promise<readonly CheckFinding[]> {
  if (site.program === '')
    return [failed('program', `neither apptainer nor singularity is found on ${site.machine.title}`, missingProgramRemedy)];
  const image = localImage(options.image, site.home);
  const { stdout } = await runScript(site.machine, survey, [site.program, site.root, image ?? ''], { timeoutMs: 30_000 });
  const facts: Facts = new Map(stdout.split('\n').flatMap((line) => (line.includes('=') ? [split(line)] : [])));
  if (!facts.has('version')) return [failed('program', `${site.program} does not run`, 'Run it by hand: it tells what it lacks.')];
  return [
    ...(options.slurm === undefined ? [] : [await scheduler(site, options.slurm.partition)]),
    ok('program', `${facts.get('version')} at ${site.program}`),
    namespaces(facts),
    imageFiles(facts),
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

function split(line: string): [string, string] {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
}

function ok(id: string, message: string): CheckFinding {
  return { id: `singularity.${id}`, status: 'ok', message };
}

function failed(id: string, message: string, remedy: string): CheckFinding {
  return { id: `singularity.${id}`, status: 'failed', message, remedy };
}
