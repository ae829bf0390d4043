# The supervisor of a lane: reads control lines from stdin and runs one command at a time in the background, so that it can
# end the command while it runs and notices at once when the client is gone.
#
#   R cookie silence    the next line is a message: run it; silence is how many seconds without a line mean that the
#                                     client is lost, or has slept through the command's deadline
#   I cookie silence    the same, and the command takes the rest of stdin; the lane ends with it
#   K signal cookie root              signal a tree (root 0: the running command's)
#   T grace cookie root nonce         end a tree, then report the nonce
#   W cookie / U cookie               a command on another lane is to end (no longer) when this client is lost
#   . silence                         the client is alive; it means to speak again within so many seconds
#   A nonce silence                   the same, and report whether the command's worker is alive
#   P nonce                           report whether another process still holds the lane's streams
#   Q                                 quit

petasos_bash=$1
petasos_messages= petasos_watched= petasos_worker=0 petasos_cookie= petasos_spare=0
petasos_proc=0
[ -r /proc/self/stat ] && [ -r /proc/loadavg ] && [ -d /proc/self/fd ] && petasos_proc=1
petasos_setsid=
[ -z "$petasos_bash" ] && petasos_setsid=$(command -v setsid 2>/dev/null)
petasos_timed=0
[ -n "$petasos_bash" ] && petasos_timed=1
[ -z "$petasos_bash" ] && (read -r -t 1 petasos_x </dev/null; [ $? -le 1 ]) 2>/dev/null && petasos_timed=1
petasos_env() { :; }
petasos_nl='
'
exec 7>&2

IFS= read -r petasos_line || exit 0
eval "$petasos_line"
petasos_uid=${EUID:-}
[ -n "$petasos_uid" ] || petasos_uid=$(id -u 2>/dev/null)
[ -n "$petasos_dir" ] || petasos_dir=${TMPDIR:-/tmp}/petasos-$petasos_uid/$PETASOS_SANDBOX
if [ -n "$petasos_dir" ]; then
  petasos_mask=$(umask)
  umask 077
  [ -d "$petasos_dir" ] || mkdir -p -- "$petasos_dir" 2>/dev/null
  if [ -O "$petasos_dir" ]; then
    petasos_messages=$petasos_dir/lane.$$
    { : >"$petasos_messages"; } 2>/dev/null || petasos_messages=
  fi
  umask "$petasos_mask"
fi
if [ -n "$petasos_messages" ]; then exec 6>>"$petasos_messages"; else exec 6>/dev/null; fi
petasos_home=$HOME
[ -n "$petasos_home" ] || petasos_home=$(cd 2>/dev/null && pwd)
petasos_report "H
$$
$petasos_bash
$petasos_proc
$petasos_timed
$petasos_messages
$petasos_uid
$(pwd)
$petasos_home"

# True while the worker of the last command is alive; a worker that has ended stays a zombie until it is waited for.
petasos_running() {
  [ "$petasos_worker" != 0 ] || return 1
  if [ "$petasos_proc" = 1 ]; then
    { IFS= read -r petasos_s <"/proc/$petasos_worker/stat"; } 2>/dev/null || return 1
    case ${petasos_s##*) } in Z* | X*) return 1 ;; esac
    return 0
  fi
  case $(ps -o stat= -p "$petasos_worker" 2>/dev/null) in '' | Z*) return 1 ;; esac
}

# Old shells take whole seconds only.
petasos_whole=1
case ${BASH_VERSION:-} in '' | [123].*) ;; *) petasos_whole=0 ;; esac
petasos_silence=$petasos_idle
while :; do
  if [ $petasos_timed = 1 ]; then
    [ $petasos_whole = 1 ] && petasos_silence=$((${petasos_silence%.*} + 1))
    IFS= read -r -t "$petasos_silence" petasos_line || break
  else
    IFS= read -r petasos_line || break
  fi
  set -f
  set -- $petasos_line
  set +f
  case $1 in
    R)
      [ "$petasos_worker" = 0 ] || wait "$petasos_worker" 2>/dev/null
      petasos_cookie=$2 petasos_silence=$3
      IFS= read -r petasos_line || break
      (
        eval "$petasos_line"
        petasos_line=
        petasos_run "$@"
      ) </dev/null &
      petasos_worker=$!
      ;;
    I)
      petasos_cookie=$2
      IFS= read -r petasos_line || break
      # No worker in between: the supervisor itself waits, and its children are the command's tree.
      eval "$petasos_line"
      petasos_line=
      petasos_run "$@"
      [ -n "$petasos_messages" ] && rm -f -- "$petasos_messages"
      exit 0
      ;;
    K)
      [ "$4" = 0 ] && set -- "$1" "$2" "$3" "$petasos_worker"
      (petasos_signal "$2" "$3" "$4") </dev/null >/dev/null 2>&1 7>&1 &
      ;;
    T)
      [ "$4" = 0 ] && set -- "$1" "$2" "$3" "$petasos_worker" "$5"
      (
        petasos_end "$3" "$4" "$2" >/dev/null 2>&1 7>&1
        printf '\036%s gone\036' "$5"
      ) </dev/null 2>/dev/null 7>&2 &
      ;;
    W) petasos_watched="$petasos_watched $2" ;;
    U)
      petasos_keep=
      for petasos_w in $petasos_watched; do [ "$petasos_w" = "$2" ] || petasos_keep="$petasos_keep $petasos_w"; done
      petasos_watched=$petasos_keep
      ;;
    .) petasos_silence=$2 ;;
    A)
      petasos_silence=$3
      if petasos_running; then petasos_a=running; else petasos_a=over; fi
      printf '\036%s %s\036' "$2" "$petasos_a"
      ;;
    P)
      (
        petasos_seen=0
        if petasos_held_by_any; then petasos_a=held; else petasos_a=free; fi
        printf '\036%s %s\036' "$2" "$petasos_a"
      ) </dev/null &
      ;;
    Q)
      petasos_watched= petasos_worker=0
      break
      ;;
  esac
done
# The client is gone: its foreground commands end here, where they run.
trap '' HUP PIPE
exec >/dev/null 2>&1 7>&1
if petasos_running; then petasos_end "$petasos_cookie" "$petasos_worker" "$petasos_grace"; fi
for petasos_w in $petasos_watched; do petasos_end "$petasos_w" none "$petasos_grace"; done
[ -n "$petasos_messages" ] && rm -f -- "$petasos_messages"
exit 0
