/**
 * The first program inside an instance: does nothing but end it. `$1`: seconds between two looks, `$2`: looks without another process
 * after which the sandbox is idle, `$3`: seconds that it may live, 0 for ever, `$4`: looks that
 * whoever started it has to come in. Init ends once it is signalled and its first program's
 * process group is gone, hence another session for the one that signals.
 */
export const keeper = `#!/bin/sh
trap 'exit 0' TERM
quiet=0 most=$4
[ "$3" = 0 ] || end=$(($(date +%s) + $3))
while [ "$quiet" -lt "$most" ]; do
  sleep "$1" &
  wait $!
  count=0
  for process in /proc/[0-9]*; do count=$((count + 1)); done
  if [ "$count" -gt 2 ]; then quiet=0 most=$2; else quiet=$((quiet + 1)); fi
  [ -z "$end" ] || [ "$(date +%s)" -lt "$end" ] || break
done
leave='sleep 0.1; kill -TERM 1; sleep 0.1; kill -TERM 1'
if command -v setsid >/dev/null 2>&1; then setsid sh -c "$leave" &
else
  set -m
  sh -c "$leave" &
fi
`;
