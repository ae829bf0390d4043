# Runs a command once, however often it is asked for under one name, and gives every asker its output and status.
#
#   $1 directory of records   $2 name   $3 how many records are not needed any more, whose names follow   then the command
#
# Prints "$2 pending" when it still runs after a while, and "$2 lost" when it can never end.

petasos_dir=$1 petasos_id=$2 petasos_done=$3
shift 3
[ -d "$petasos_dir" ] || mkdir -m 700 -p -- "$petasos_dir" 2>/dev/null
[ -O "$petasos_dir" ] || {
  printf '%s lost\n' "$petasos_id"
  exit 75
}
while [ "$petasos_done" -gt 0 ]; do
  rm -rf -- "$petasos_dir/$1"
  shift
  petasos_done=$((petasos_done - 1))
done
petasos_record=$petasos_dir/$petasos_id
if mkdir -m 700 -- "$petasos_record" 2>/dev/null; then
  # In a session of its own: the service may end this shell when it takes the request for too long. Not in the background: there the
  # command would start with SIGINT ignored, and nobody can undo that.
  petasos_setsid=$(command -v setsid 2>/dev/null)
  ${petasos_setsid:+"$petasos_setsid"} /bin/sh -c 'd=$1
shift
printf "%s\n" "$$" >"$d/pid"
"$@" </dev/null >"$d/out" 2>&1
s=$?
printf "%s\n" "$s" >"$d/ended" && mv -- "$d/ended" "$d/status"' petasos-record "$petasos_record" "$@" </dev/null >/dev/null 2>&1
fi
# Whoever asks again may be here before the command has said its pid; one that never does has been cut off in the instant before.
petasos_tries=0 petasos_most=100
until [ -e "$petasos_record/status" ]; do
  petasos_pid=
  { read -r petasos_pid <"$petasos_record/pid"; } 2>/dev/null && petasos_most=5
  if [ "$petasos_tries" -ge "$petasos_most" ] && ! kill -0 "$petasos_pid" 2>/dev/null && [ ! -e "$petasos_record/status" ]; then
    printf '%s lost\n' "$petasos_id"
    exit 75
  fi
  [ "$petasos_tries" -lt 200 ] || {
    printf '%s pending\n' "$petasos_id"
    exit 75
  }
  petasos_tries=$((petasos_tries + 1))
  sleep 0.05 2>/dev/null || sleep 1
done
read -r petasos_status <"$petasos_record/status"
cat -- "$petasos_record/out"
exit "$petasos_status"
