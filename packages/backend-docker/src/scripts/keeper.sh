# Keeps the container alive, and ends it: the container's own process, which needs nobody outside.
#
#   $1 milliseconds without a client or a job after which the sandbox is idle     $2 end of its life in seconds since 1970, or empty
#   $3 the engine's own directory in here
#
# A process that came from outside has no parent in here. While there is one, a client is connected; one that has come and gone has
# changed the engine's directory; a job's supervisor has its name among its arguments.

petasos_busy() {
  # Some shells compare whole seconds: what is not older may have changed since.
  if [ -e "$dir" ] && [ ! "$seen" -nt "$dir" ]; then
    : >"$seen" && return 0
  fi
  for d in /proc/[0-9]*; do
    { IFS= read -r line <"$d/stat"; } 2>/dev/null || continue
    set -- ${line##*) }
    [ "${2:-}" = 0 ] && [ "$1" != Z ] && [ "$d" != /proc/1 ] && return 0
  done
  grep -qs 'petasos-[j]ob' /proc/[0-9]*/cmdline
}

idle=$1 end=$2 dir=$3 seen=$3.seen
# What a snapshot brought along belongs to another sandbox.
for d in "${dir%/*}"/.petasos-sandbox-*; do
  case $d in "$dir"*) ;; *) rm -rf "$d" ;; esac
done
{ : >"$seen"; } 2>/dev/null || seen=/dev/null dir=

pause=$((idle / 10))
[ "$pause" -le 5000 ] || pause=5000
[ "$pause" -ge 100 ] || pause=100
nap=$((pause / 1000)).$((pause % 1000 / 100))
sleep "$nap" 2>/dev/null || pause=1000 nap=1

# Whoever has just made the sandbox gets time to come.
limit=$idle
[ "$limit" -ge 30000 ] || limit=30000
quiet=0
while :; do
  if petasos_busy; then
    quiet=0 limit=$idle
  elif [ "$quiet" -ge "$limit" ]; then
    exit 0
  fi
  [ -z "$end" ] || [ "$(date +%s)" -lt "$end" ] || exit 0
  sleep "$nap"
  quiet=$((quiet + pause))
done
