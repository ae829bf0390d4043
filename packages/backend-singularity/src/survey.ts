import { runScript } from './machine/machine.js';
import type { Site } from './site.js';

/** What the machine has, one `name=value` a line. `$1`: the program, `$2`: the directory for state, `$3`: a local image or nothing. */
const script = `
"$1" --version 2>/dev/null | sed -n 's/^/version=/p'
settings=$("$1" buildcfg 2>/dev/null)
starter=$(printf '%s\\n' "$settings" | sed -n 's/^LIBEXECDIR=//p')
for file in "$starter"/*/bin/starter-suid; do [ -u "$file" ] && echo setuid=yes; done
if command -v unshare >/dev/null 2>&1; then unshare --user true 2>/dev/null && echo userns=yes || echo userns=no
elif [ "$(cat /proc/sys/user/max_user_namespaces 2>/dev/null || echo 0)" -gt 0 ]; then echo userns=yes
else echo userns=no
fi
{ command -v squashfuse || command -v squashfuse_ll || ls "$starter"/*/bin/squashfuse_ll; } >/dev/null 2>&1 && echo squashfuse=yes
{ command -v fuse2fs || ls "$starter"/*/bin/fuse2fs; } >/dev/null 2>&1 && echo fuse2fs=yes
[ -r /dev/fuse ] && [ -w /dev/fuse ] && echo fuse=yes
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
command -v mkfs.ext3 >/dev/null 2>&1 && echo mkfs.ext3=yes
command -v e2fsck >/dev/null 2>&1 && echo e2fsck=yes
dir=$2
while [ ! -e "$dir" ]; do dir=\${dir%/*}; dir=\${dir:-/}; done
[ -w "$dir" ] && echo state=yes
df -Pk "$dir" 2>/dev/null | awk 'NR == 2 { print "free=" $4 }'
if [ -z "$3" ] || [ -r "$3" ]; then echo image=yes; fi
true
`;

/** What a machine has, by name; what it lacks is not in there. */
export type Facts = ReadonlyMap<string, string>;

export async function survey(site: Site, image = ''): Promise<Facts> {
  const { stdout } = await runScript(site.machine, script, [site.program, site.root, image], { timeoutMs: 30_000 });
  return new Map(stdout.split('\n').flatMap((line) => (line.includes('=') ? [split(line)] : [])));
}

function split(line: string): [string, string] {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
}
