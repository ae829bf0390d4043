/**
 * Where processes of a sandbox are started by one that is inside already, or that lives as long as it does. A client rings the bell with
 * the name of a directory, its ticket, that holds the command (`words`) and three pipes.
 */

/** `$1`: a ticket's directory. */
const serve = `
serve() {
  # In a shell of its own: one that waits for a command may hold its streams meanwhile, and would be taken for a process that it left.
  (: >"$1/begun"; exec sh "$1/words") <"$1/in" >"$1/out" 2>"$1/err"
  echo $? >"$1/status.new"
  mv "$1/status.new" "$1/status"
}
# What a shell starts in the background is deaf to SIGINT for ever. One of a pipeline is not, and goes on when the shell is gone; init
# reaps it, while a shell that waits at the door would keep all that have ended.
serve "$1" | kill -KILL $$
`;

/** Shell functions: `petasos_attend DIR` serves whoever rings at the door there, until somebody rings with a dot. */
export const attend = `
petasos_serve='${serve}'
petasos_attend() {
  while read -r ticket <&3; do
    [ "$ticket" != . ] || return 0
    sh -c "$petasos_serve" petasos "$1/$ticket" </dev/null 3>&-
  done 2>/dev/null
}
`;

/**
 * Has the command `$3` run as `$2` at the door of the sandbox in `$1`, and carries its three streams. Its last act is to remove its own
 * directory: one that is left there was cut off, or has lost the container.
 */
export const relay = `
door=$1/door work=$1/door/$2
read -r host boot pid rest <"$1/instance" || exit 125
umask 077
mkdir "$work" && mkfifo "$work/in" "$work/out" "$work/err" && printf '%s' "$3" >"$work/words" || exit 125
exec 4<&0
cat <&4 >"$work/in" 2>/dev/null &
feed=$!
exec 4<&-
# A pipe that nobody else opens would be waited for without end, should the container be over by now.
exec 5<>"$work/out" 6<>"$work/err" 7<>"$door/bell"
exec 8<"$work/out" 9<"$work/err"
printf '%s\\n' "$2" >&7
until [ -f "$work/begun" ] || [ ! -d "/proc/$pid" ]; do sleep 0.01; done
exec 5>&- 6>&- 7>&-
cat <&9 >&2 8<&- &
errors=$!
exec 9<&-
cat <&8
wait "$errors"
# Whoever reads learns at once that nothing more comes.
exec >&- 2>&-
until [ -f "$work/status" ] || [ ! -d "/proc/$pid" ]; do sleep 0.05; done
kill "$feed"
read -r status <"$work/status" || exit 125
rm -rf "$work"
exit "$status"
`;
