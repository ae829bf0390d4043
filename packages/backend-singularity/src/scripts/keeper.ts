import { attend } from './door.js';

/** Paths inside of the keeper, and of the door that it attends to. */
export const startFile = '/.singularity.d/startscript';
export const insideDoor = '/.singularity.d/door';

/**
 * The first program inside a container: does nothing but end it, and start what comes to the door if it has one. `$1`: seconds between
 * two looks, `$2`: looks without another process after which the sandbox is idle, `$3`: seconds that it may live, 0 for ever, `$4`: looks
 * that whoever started it has to come in, `$5`: the door, or nothing. The init of an instance ends once it is signalled and its first
 * program's process group is gone, hence another session for the one that signals; that of an `exec` ends with this program.
 */
export const keeper = `#!/bin/sh
${attend}
trap 'exit 0' TERM
quiet=0 most=$4 own=2
[ "$3" = 0 ] || end=$(($(date +%s) + $3))
keep() {
  while [ "$quiet" -lt "$most" ]; do
    sleep "$1" &
    wait $!
    count=0
    for process in /proc/[0-9]*; do count=$((count + 1)); done
    if [ "$count" -gt "$own" ]; then quiet=0 most=$2; else quiet=$((quiet + 1)); fi
    [ -z "$end" ] || [ "$(date +%s)" -lt "$end" ] || break
  done
}
if [ -n "$5" ]; then
  own=3
  { keep "$1" "$2"; kill -TERM $$; } &
  exec 3<>"$5/bell"
  : >"$5/open"
  petasos_attend "$5"
fi
keep "$1" "$2"
leave='sleep 0.1; kill -TERM 1; sleep 0.1; kill -TERM 1'
if command -v setsid >/dev/null 2>&1; then setsid sh -c "$leave" &
else
  set -m
  sh -c "$leave" &
fi
`;
