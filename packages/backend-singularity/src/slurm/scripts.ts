/**
 * What runs on the node for as long as the allocation lasts. `$1`: directory of the sandbox, `$2`: the program, `$3`: the instance, the
 * rest: how it is started. It starts every process inside itself: on most clusters the processes of a step end with it, and a step lasts
 * no longer than a client's connection. A client's step rings the bell with the name of a directory that holds the command and three pipes.
 */
export const batch = `
dir=$1 program=$2 name=$3
shift 3
now() { date +%s; }
# Nobody waits any more: what was asked for is given back.
read -r then <"$dir/waiting" && [ $(($(now) - then)) -lt 30 ] || exit 0
umask 077
door=$dir/door
rm -rf "$door" "$dir/instance" "$dir/failed"
mkdir "$door" && mkfifo "$door/bell" || exit 4
umask 022
if ! "$program" instance start "$@" >"$door/said" 2>&1; then mv "$door/said" "$dir/failed"; exit 8; fi
umask 077
pid=$("$program" instance list --json "$name" | sed -n 's/.*"pid": *\\([0-9][0-9]*\\).*/\\1/p')
if [ -z "$pid" ]; then echo "the instance ended at once" >"$dir/failed"; exit 8; fi
now >"$dir/alive"
started=$(sed 's/^.*) //' "/proc/$pid/stat" | cut -d' ' -f20)
parent=$(sed 's/^.*) //' "/proc/$pid/stat" | cut -d' ' -f2)
printf '%s %s %s %s %s\\n' "$(uname -n)" "$(cat /proc/sys/kernel/random/boot_id)" "$pid" "$started" "$parent" >"$dir/instance.new"
mv "$dir/instance.new" "$dir/instance"
exec 3<>"$door/bell"
(
  while [ -d "/proc/$pid" ] && [ -f "$dir/sandbox.json" ]; do now >"$dir/alive.new"; mv "$dir/alive.new" "$dir/alive"; sleep 1; done
  kill -KILL "$pid"
  echo . >&3
) 2>/dev/null &
serve() {
  sh "$1/words" <"$1/in" >"$1/out" 2>"$1/err" 3>&-
  echo $? >"$1/status.new"
  mv "$1/status.new" "$1/status"
}
while read -r ticket <&3; do
  [ "$ticket" != . ] || exit 0
  serve "$door/$ticket" &
done
`;

/** A step of a client: has the command `$3` run by the node as `$2` at the door of the sandbox in `$1`, and carries its three streams. */
export const relay = `
door=$1/door work=$1/door/$2
umask 077
mkdir "$work" && mkfifo "$work/in" "$work/out" "$work/err" && printf '%s' "$3" >"$work/words" || exit 125
exec 4<&0
cat <&4 >"$work/in" &
feed=$!
exec 4<&-
cat <"$work/err" >&2 &
errors=$!
printf '%s\\n' "$2" >"$door/bell"
cat <"$work/out"
wait "$errors"
tries=0
until [ -f "$work/status" ] || [ "$tries" -ge 100 ]; do sleep 0.05; tries=$((tries + 1)); done
status=125
read -r status <"$work/status"
kill "$feed" 2>/dev/null
rm -rf "$work"
exit "$status"
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
