import { attend } from '../scripts/door.js';
import { launch } from '../scripts/launch.js';

/**
 * What runs on the node for as long as the allocation lasts. `$1`: directory of the sandbox, `$2`: the program, `$3`: the instance, the
 * rest: how it is started. It starts every process inside itself: on most clusters the processes of a step end with it, and a step lasts
 * no longer than a client's connection. Where the keeper attends to the door, it has nothing else to do than to watch.
 */
export const batch = `${launch}${attend}
dir=$1 program=$2 name=$3
shift 3
now() { date +%s; }
# Nobody waits any more: what was asked for is given back.
read -r then <"$dir/waiting" && [ $(($(now) - then)) -lt 30 ] || exit 0
rm -f "$dir/instance" "$dir/failed"
petasos_door || exit 4
petasos_launch "$@" || { mv "$dir/said" "$dir/failed"; exit 8; }
umask 077
now >"$dir/alive"
watch() {
  while [ -d "/proc/$pid" ] && [ -f "$dir/sandbox.json" ]; do now >"$dir/alive.new"; mv "$dir/alive.new" "$dir/alive"; sleep 1; done
  kill -KILL "$pid"
} 2>/dev/null
[ "$way" = instance ] || { watch; exit 0; }
exec 3<>"$dir/door/bell"
{ watch; echo . >&3; } &
petasos_attend "$dir/door"
`;

/**
 * Submits the job on stdin for the sandbox in `$1` unless it has one that is not over, and prints its id. The rest: options of sbatch.
 * Status 6: the sandbox is gone.
 */
export const submit = `
dir=$1
shift
[ -f "$dir/sandbox.json" ] || exit 6
umask 077
if command -v flock >/dev/null 2>&1; then exec 9>"$dir/lock"; flock -w 60 9; fi
date +%s >"$dir/waiting.$$" && mv "$dir/waiting.$$" "$dir/waiting"
if read -r job 2>/dev/null <"$dir/job" && [ -n "$(squeue --noheader --jobs="$job" --format=%T 2>/dev/null)" ]; then echo "$job"; exit 0; fi
rm -f "$dir/instance" "$dir/failed"
job=$(env -u APPTAINER_DOCKER_USERNAME -u APPTAINER_DOCKER_PASSWORD -u SINGULARITY_DOCKER_USERNAME -u SINGULARITY_DOCKER_PASSWORD \\
  sbatch --parsable "$@") || exit 8
job=\${job%%;*}
echo "$job" >"$dir/job"
[ -f "$dir/sandbox.json" ] || scancel "$job"
echo "$job"
`;

/** Says that somebody waits for the sandbox in `$1`, and prints what has become of it: `ready`, or `failed` and why. Status 6: it is gone. */
export const wait = `
[ -f "$1/sandbox.json" ] || exit 6
date +%s >"$1/waiting.$$" && mv "$1/waiting.$$" "$1/waiting"
if [ -f "$1/failed" ]; then echo failed; cat "$1/failed"; exit 0; fi
[ ! -f "$1/instance" ] || echo ready
`;
