import { launch, stat } from './launch.js';

/**
 * What is done on the machine itself, as POSIX scripts: the same whether it is this one, another user's or a login node.
 * A sandbox is a directory: `sandbox.json` (its record, one line), `start`, `overlay` or `overlay.img`, `work`, and `instance` while its
 * container runs: the host's name, its boot, pid, start time and parent of the container's first process, the way it was started, and that
 * parent's start time.
 */

/** Sets `state` to that of the sandbox in `$dir`: `starting`, `running`, `stopped`, or `on:HOST` where only that host can tell. */
const look = `${stat}
petasos_look() {
  state=starting host= boot= pid= started= parent= way= since=
  [ -f "$dir/instance" ] || return 0
  state=stopped
  read -r host boot pid started parent way since <"$dir/instance" || return 0
  if [ "$host" != "$(uname -n)" ]; then state=on:$host
  elif [ "$boot" = "$(cat /proc/sys/kernel/random/boot_id)" ]; then
    # One that has ended and is still to be reaped has a start time.
    case $(petasos_stat "$pid" 1,20) in
    Z*) ;;
    *" $started") state=running ;;
    esac
  fi
}
`;

/** Six lines: home directory, user, uid, host name, directory for state, program. `$1` and `$2`: the last two where they are set. */
export const hello = `
printf '%s\\n' "$HOME" "$(id -un)" "$(id -u)" "$(uname -n)" \\
  "\${1:-\${XDG_STATE_HOME:-$HOME/.local/state}/petasos/singularity}" \\
  "\${2:-$(command -v apptainer 2>/dev/null || command -v singularity 2>/dev/null)}"
`;

/**
 * Makes the sandbox `$2` with the id `$3` below `$1`, all at once or not at all; status 3: the name is taken. stdin: the record.
 * `$4`: the start script; `$5`: a snapshot whose files it starts with, or nothing; `$6`: the program; `$7`: MiB of its overlay, 0 for a
 * directory; the rest: how the program is to fill a new overlay. Status 8: it makes none.
 */
export const publish = `
umask 077
draft=$1/.$2.$3
trap 'rm -rf "$draft"' EXIT
mkdir -p "$draft/overlay" "$draft/work" || exit 4
if [ -n "$5" ]; then
  snapshot=$1/.snapshots/$5
  for part in overlay work; do cp -a "$snapshot/$part/." "$draft/$part/" || exit 4; done
  [ ! -f "$snapshot/overlay.img" ] || cp --sparse=always "$snapshot/overlay.img" "$draft/overlay.img" || exit 4
fi
printf '%s' "$4" >"$draft/start" && chmod 700 "$draft/start" && cat >"$draft/sandbox.json" || exit 4
sandbox=$1/$2 program=$6 size=$7
shift 7
if [ "$size" != 0 ] && [ ! -f "$draft/overlay.img" ]; then
  PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
  "$program" overlay create --sparse --size "$size" "$@" "$draft/overlay.img" >&2 || exit 8
fi
mv -T "$draft" "$sandbox" 2>/dev/null && exit 0
[ -e "$sandbox" ] && exit 3
exit 4
`;

/** Prints what the snapshot `$2` below `$1` says of itself; status 3: there is none. */
export const readSnapshot = `cat "$1/.snapshots/$2/snapshot.json" 2>/dev/null || exit 3`;

/**
 * Copies what the sandbox `$2` has written to the snapshot `$3`: whole or not at all. `$4`: what it says of itself. Temporary files are
 * left out: they belong to what runs. An overlay that is mounted meanwhile is copied in the middle of what is written, and mended.
 */
export const takeSnapshot = `
umask 077
dir=$1/$2 draft=$1/.snapshots/.$3
trap 'chmod -R u+rwX "$draft" 2>/dev/null; rm -rf "$draft"' EXIT
[ -f "$dir/sandbox.json" ] || exit 6
mkdir -p "$draft/overlay" "$draft/work" || exit 4
[ ! -d "$dir/overlay/upper" ] || cp -a "$dir/overlay/upper" "$draft/overlay/upper" || exit 4
[ ! -d "$dir/work/home" ] || cp -a "$dir/work/home" "$draft/work/home" || exit 4
if [ -f "$dir/overlay.img" ]; then
  cp --sparse=always "$dir/overlay.img" "$draft/overlay.img" || exit 4
  PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin e2fsck -fy "$draft/overlay.img" >/dev/null || [ $? -lt 4 ] || exit 5
fi
printf '%s' "$4" >"$draft/snapshot.json" || exit 4
mv -T "$draft" "$1/.snapshots/$3" || exit 4
`;

/** One line for each sandbox below `$1`, or for the sandbox `$2`: state, job in SLURM or `-`, way it was started or `-`, and record. */
export const show = `${look}
petasos_show() {
  [ -f "$dir/sandbox.json" ] || return 0
  petasos_look
  job=-
  [ ! -f "$dir/job" ] || read -r job <"$dir/job"
  printf '%s %s %s %s\\n' "$state" "$job" "\${way:--}" "$(cat "$dir/sandbox.json")"
}
if [ $# -gt 1 ]; then dir=$1/$2; petasos_show
else for dir in "$1"/*/; do dir=\${dir%/}; petasos_show; done
fi
`;

/**
 * Starts the container of the sandbox in `$1` unless it runs; `$2`: the program, `$3`: the instance, the rest: how it is started.
 * Status 6: the sandbox is gone.
 */
export const startInstance = `${look}${launch}
dir=$1 program=$2 name=$3
shift 3
[ -f "$dir/sandbox.json" ] || exit 6
if command -v flock >/dev/null 2>&1; then exec 9>"$dir/lock"; flock -w 60 9; fi
petasos_look
case $state in
running) exit 0 ;;
on:*) printf '%s' "\${state#on:}"; exit 7 ;;
esac
# The one before may still be about to put its mounts away, and of an overlay only one may write.
tries=0
while [ -n "$since" ] && [ "$since" = "$(petasos_stat "$parent" 20)" ] && [ "$tries" -lt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
rm -f "$dir/instance"
launched=yes
petasos_launch "$@" || launched=
[ -f "$dir/sandbox.json" ] || { [ -z "$pid" ] || kill -KILL "$pid"; exit 6; }
[ -n "$launched" ] || { cat "$dir/said" >&2; exit 8; }
`;

/** Ends and removes the sandbox `$2` with the id `$3` below `$1`; `$4`: its instance. Status 7: only another host can, and its name. */
export const remove = `${look}
dir=$1/$2 gone=$1/.gone.$2.$3
if grep -q "\\"id\\":\\"$3\\"" "$dir/sandbox.json" 2>/dev/null; then
  petasos_look
  # What runs on a node of SLURM is ended from anywhere.
  if [ ! -f "$dir/job" ]; then case $state in on:*) printf '%s' "\${state#on:}"; exit 7 ;; esac; fi
  mv -T "$dir" "$gone" 2>/dev/null
fi
[ -d "$gone" ] || exit 0
dir=$gone
petasos_look
if [ -f "$dir/job" ]; then
  read -r job <"$dir/job"
  scancel --full --signal=KILL "$job" 2>/dev/null
  scancel "$job" 2>/dev/null
  tries=0
  # Until its steps have ended, too, their clients take it for alive.
  while [ -n "$(squeue --noheader --jobs="$job" --format=%T 2>/dev/null)" ] && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
elif [ "$state" = running ]; then
  kill -KILL "$pid" 2>/dev/null
  tries=0
  # The parent takes the mounts away, and its own file.
  while { [ -d "/proc/$pid" ] || grep -qs '^State:.[^Z]' "/proc/$parent/status"; } && [ "$tries" -lt 250 ]; do sleep 0.02; tries=$((tries + 1)); done
fi
for base in "\${APPTAINER_CONFIGDIR:-$HOME/.apptainer}" "\${SINGULARITY_CONFIGDIR:-$HOME/.singularity}"; do
  rm -rf "$base"/instances/app/*/*/"$4" "$base"/instances/logs/*/*/"$4".*
done
rm -rf "$gone" 2>/dev/null && exit 0
tries=0
# The kernel's own directory in an overlay may be entered by nobody, and a process that dies may still write.
until chmod -R u+rwX "$gone" 2>/dev/null; rm -rf "$gone" 2>/dev/null; do
  tries=$((tries + 1))
  [ "$tries" -lt 25 ] || { rm -rf "$gone"; exit 4; }
  sleep 0.2
done
`;

/** The mount tables of this machine and of the sandbox in `$1`, an empty line between. */
export const mountTables = `${look}
dir=$1
petasos_look
[ "$state" = running ] || exit 1
cat /proc/self/mountinfo
echo
cat "/proc/$pid/mountinfo"
`;

/** The mount points that may be written, as it shows only inside. */
export const writableMounts =
  'while read -r a b c d point rest; do [ ! -w "$point" ] || printf "%s\\n" "$point"; done </proc/self/mountinfo';
