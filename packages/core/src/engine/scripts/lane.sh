# A lane: two shells in a pipeline. The reader reads control lines from the client and is never busy, so that it can end a command while
# it runs and notices at once when the client is gone. The runner gets the messages and runs one command at a time, in the foreground:
# a shell starts a background command with SIGINT ignored for good.
#
#   R cookie silence size    the next line is a message: run it; silence is how many seconds without a line mean that the
#                       client is lost, or has slept through the command's deadline; size is that of the line in bytes, its end included,
#                       or 0 where bytes are not characters
#   I cookie silence size    the same, and the command takes the rest of stdin; the lane ends with it
#   . silence           the client is alive; it means to speak again within so many seconds
#   A nonce silence     the same, and report whether there is still somebody who will report the command's end
#   M pid               the runner's pid, as it has reported it
#   K signal cookie root              signal a tree
#   T grace cookie root nonce         end a tree, then report the nonce
#   W cookie / U cookie               a command on another lane is to end (no longer) when this client is lost
#   P nonce                           report whether another process still holds the lane's streams
#   Q                                 quit

petasos_bash=$1
petasos_messages= petasos_watched= petasos_cookie= petasos_worker=none
petasos_nl='
'
petasos_proc=0
[ -r /proc/self/stat ] && [ -r /proc/loadavg ] && [ -d /proc/self/fd ] && petasos_proc=1
petasos_session=none
if [ "$petasos_proc" = 1 ]; then
  IFS= read -r petasos_line </proc/self/stat
  set -- "$1" ${petasos_line##*) }
  petasos_session=$5
fi
petasos_setsid=
[ -z "$petasos_bash" ] && petasos_setsid=$(command -v setsid 2>/dev/null)
petasos_timed=0
[ -n "$petasos_bash" ] && petasos_timed=1
[ -z "$petasos_bash" ] && (read -r -t 1 petasos_x </dev/null; [ $? -le 1 ]) 2>/dev/null && petasos_timed=1
# Old shells take whole seconds only.
petasos_whole=1
case ${BASH_VERSION:-} in '' | [123].*) ;; *) petasos_whole=0 ;; esac
# Bash takes a number of characters at once, and a line one by one.
petasos_block=0
[ -n "$petasos_bash" ] && { IFS= read -r -N 1 petasos_x; [ $? = 1 ]; } </dev/null 2>/dev/null && petasos_block=1
exec 7>&2 8<&0 9>&1

IFS= read -r petasos_line || exit 0
eval "$petasos_line"
petasos_uid=${EUID:-}
[ -n "$petasos_uid" ] || petasos_uid=$(id -u 2>/dev/null)
[ -n "$petasos_dir" ] || petasos_dir=${TMPDIR:-/tmp}/petasos-$petasos_uid/$PETASOS_SANDBOX
petasos_messages=$petasos_dir/lane.$$
(
  umask 077
  [ -d "$petasos_dir" ] || mkdir -p -- "$petasos_dir"
  [ -O "$petasos_dir" ] && : >"$petasos_messages"
) 2>/dev/null || petasos_messages=
if [ -n "$petasos_messages" ]; then exec 6>>"$petasos_messages"; else exec 6>/dev/null; fi
petasos_file=$petasos_messages
# Under this name the file is found even when its directory has been moved.
[ "$petasos_proc" = 1 ] && [ -n "$petasos_file" ] && petasos_messages=/proc/self/fd/6
petasos_home=$HOME
[ -n "$petasos_home" ] || petasos_home=$(cd 2>/dev/null && pwd)
petasos_start=${PWD:-$(pwd)}

# Sets petasos_self to the pid of this very shell; $$ is that of the whole lane.
petasos_whoami() {
  if [ -n "${BASHPID:-}" ]; then petasos_self=$BASHPID; elif [ "$petasos_proc" = 1 ]; then
    read -r petasos_self petasos_a </proc/self/stat
  else
    petasos_self=$(exec sh -c 'echo $PPID')
  fi
}

petasos_message() {
  if [ "$petasos_block" = 1 ] && [ "$1" -gt 0 ]; then
    IFS= read -r -N "$1" petasos_line && petasos_line=${petasos_line%"$petasos_nl"}
  else
    IFS= read -r petasos_line
  fi
}

petasos_runner() {
  exec 9>&-
  petasos_whoami
  trap : TERM INT
  petasos_report "H
$petasos_self
$petasos_bash
$petasos_proc
$petasos_timed
$petasos_messages
$petasos_uid
$petasos_start
$petasos_home"
  while read -r petasos_header petasos_cookie petasos_size; do
    if [ "$petasos_header" = P ]; then
      if petasos_still_held; then petasos_a=held; else petasos_a=free; fi
      printf '\036%s %s\036' "$petasos_cookie" "$petasos_a"
      continue
    fi
    petasos_message "$petasos_size" || break
    petasos_defaults
    eval "$petasos_line"
    petasos_line=
    [ -n "$petasos_cwd" ] || petasos_cwd=$petasos_start
    case $petasos_header in
      I) petasos_run "$@" <&8 8<&- ;;
      *) petasos_run "$@" 8<&- ;;
    esac
  done
}

# Succeeds while there is a runner with the pid $1: what it was given last runs, or is about to, or is about to be reported. One that a
# command has stopped goes on.
petasos_serves() {
  if [ "$petasos_proc" = 1 ]; then
    petasos_stat "$1" && [ "$petasos_parent" = "$$" ] || return 1
    [ "$petasos_state" != T ] || kill -s CONT "$1"
  else
    kill -s CONT "$1" 2>/dev/null
  fi
}

petasos_reader() {
  exec 8<&-
  petasos_whoami
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
      R | I)
        petasos_cookie=$2 petasos_silence=$3
        petasos_message "$4" || break
        printf '%s %s %s\n%s\n' "$1" "$2" "$4" "$petasos_line"
        # From here on the input is the command's.
        [ "$1" = R ] || return
        ;;
      .) petasos_silence=$2 ;;
      M) petasos_worker=$2 ;;
      A)
        petasos_silence=$3
        if petasos_serves "$petasos_worker"; then petasos_a=running; else petasos_a=over; fi
        printf '\036%s %s\036' "$2" "$petasos_a" >&9
        ;;
      K)
        # Before the next line is read: what runs then is no part of this tree.
        petasos_signal "$2" "$3" "$4" </dev/null >/dev/null 2>&1 7>&1 9>&1
        ;;
      T)
        (
          petasos_end "$3" "$4" "$2"
          printf '\036%s gone\036' "$5" >&9
        ) </dev/null >/dev/null 2>&1 7>&1 &
        ;;
      W) petasos_watched="$petasos_watched $2" ;;
      U)
        petasos_keep=
        for petasos_w in $petasos_watched; do [ "$petasos_w" = "$2" ] || petasos_keep="$petasos_keep $petasos_w"; done
        petasos_watched=$petasos_keep
        ;;
      # The runner knows what its command has left.
      P) printf 'P %s\n' "$2" ;;
      Q) return ;;
    esac
  done
  # The client is gone: its foreground commands end here, where they run.
  trap '' HUP PIPE
  exec >/dev/null 2>&1 7>&1 9>&1
  # By now the runner has an end of file to read: it goes, unless it is about to start what came last.
  petasos_looks=250
  while :; do
    petasos_look "$petasos_worker"
    if [ "$petasos_busy" = 1 ]; then
      petasos_end "$petasos_cookie" "$petasos_worker" "$petasos_grace"
      break
    fi
    petasos_serves "$petasos_worker" && [ "$petasos_looks" -gt 0 ] || break
    petasos_looks=$((petasos_looks - 1))
    petasos_nap 0.02
  done
  for petasos_w in $petasos_watched; do petasos_end "$petasos_w" none "$petasos_grace"; done
}

petasos_reader | petasos_runner
[ -n "$petasos_file" ] && rm -f -- "$petasos_file"
exit 0
