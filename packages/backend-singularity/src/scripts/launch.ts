import { insideDoor, startFile } from './keeper.js';

/** A shell function: the fields `$2` of the process `$1`, counted from the one behind its name. */
export const stat = `
petasos_stat() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f"$2"; }
`;

/**
 * Shell functions that start the container of the sandbox in `$dir` with the program `$program`, as `petasos_launch ARGUMENT…`, the
 * arguments being those of `instance start` with the instance's name `$name` among them. Where no instance starts, as at a site that
 * allows none, the keeper is run by a long `exec` of the image instead, and starts all commands inside. What the program said is in
 * `$dir/said`. Sets `pid` to the container's first process, and writes `$dir/instance`.
 */
export const launch = `${stat}
# Its own helpers, such as those that mount, are children of the program as well.
petasos_first() {
  pid=
  for child in $(cat "/proc/$1/task"/*/children 2>/dev/null); do
    ! grep -q '^NSpid:.*[[:space:]]1$' "/proc/$child/status" 2>/dev/null || pid=$child
  done
}
petasos_door() { rm -rf "$dir/door" && mkdir -m 700 "$dir/door" && mkfifo -m 600 "$dir/door/bell"; }
petasos_instance() {
  "$program" instance start "$@" >"$dir/said" 2>&1 9>&- || return 1
  pid=$("$program" instance list --json "$name" 9>&- | sed -n 's/.*"pid": *\\([0-9][0-9]*\\).*/\\1/p')
  [ -n "$pid" ] || echo 'the instance ended at once' >>"$dir/said"
  [ -n "$pid" ]
}
petasos_exec() {
  petasos_door || return 1
  for word; do
    shift
    [ "$word" != "$name" ] || word=${startFile}
    set -- "$@" "$word"
  done
  setsid "$program" exec --pid --ipc --bind "$dir/door:${insideDoor}" --pwd / "$@" ${insideDoor} \\
    </dev/null >"$dir/said.exec" 2>&1 9>&- &
  holder=$!
  trap 'petasos_first "$holder"; [ -z "$pid" ] || kill -KILL "$pid"; kill "$holder"' EXIT
  trap 'exit 143' TERM INT HUP
  # The kernel's list of children may miss some while others come and go.
  until [ -f "$dir/door/open" ] && petasos_first "$holder" && [ -n "$pid" ]; do
    if ! grep -qs '^State:.[^Z]' "/proc/$holder/status"; then
      trap - EXIT
      # Of two reasons the nearer one is told first.
      cat "$dir/said" >>"$dir/said.exec"
      mv "$dir/said.exec" "$dir/said"
      return 1
    fi
    sleep 0.05
  done
  trap - EXIT
}
petasos_launch() {
  umask 022
  # One that a machine took down with it is mended; one that is whole costs nothing.
  [ ! -f "$dir/overlay.img" ] || PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin e2fsck -y "$dir/overlay.img" >/dev/null 2>&1
  way=instance pid=
  petasos_instance "$@" || { way=exec; petasos_exec "$@"; } || return 1
  parent=$(petasos_stat "$pid" 2)
  printf '%s %s %s %s %s %s %s\\n' "$(uname -n)" "$(cat /proc/sys/kernel/random/boot_id)" \\
    "$pid" "$(petasos_stat "$pid" 20)" "$parent" "$way" "$(petasos_stat "$parent" 20)" >"$dir/instance.new"
  mv "$dir/instance.new" "$dir/instance"
}
`;
