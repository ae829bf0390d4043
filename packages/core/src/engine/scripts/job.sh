# The supervisor of a job: detached, keeps output, status and identity of one command in the job's directory $1.
#
#   $2 bash or empty   $3 setsid or empty   $4 bytes kept of each stream   $5 milliseconds until the timeout, or empty
#   $6 grace in milliseconds   $7 keep (a job) or hold (a foreground command that its client reads and removes)
#   $8 seconds without a reader after which a held command ends

petasos_dir=$1 petasos_bash=$2 petasos_setsid=$3 petasos_limit=$4 petasos_timeout=$5 petasos_grace=$6 petasos_mode=$7 petasos_patience=$8
petasos_proc=0 petasos_nl='
'
[ -r /proc/self/stat ] && [ -r /proc/loadavg ] && [ -d /proc/self/fd ] && petasos_proc=1
petasos_messages=$petasos_dir/messages
umask 077
exec 6>>"$petasos_messages"
# Caught, not ignored: what is ignored here would be ignored in the command for good.
trap : HUP
# Every job has streams of its own.
petasos_held() { return 1; }
IFS= read -r petasos_line <"$petasos_dir/message"
: >"$petasos_dir/message"
petasos_birth=
if [ "$petasos_proc" = 1 ]; then
  IFS= read -r petasos_s </proc/$$/stat
  set -- ${petasos_s##*) }
  petasos_birth=${20}
else
  petasos_birth=$(ps -o lstart= -p $$ 2>/dev/null)
fi
printf '%s\n' "$petasos_birth" >"$petasos_dir/birth"
printf '%s\n' "$$" >"$petasos_dir/pid"

# Copies stdin into files that are named by the offset of their first byte. A job drops the oldest; a held command waits for
# its reader instead.
petasos_spool() {
  petasos_at=0 petasos_kept=0
  petasos_blocks=$((petasos_limit / 8 / 65536))
  [ "$petasos_blocks" -gt 0 ] || petasos_blocks=1
  while :; do
    # A left-over child that still writes must not be ended by a pipe that nobody reads.
    [ -d "$petasos_dir" ] || {
      cat >/dev/null
      return
    }
    if [ "$petasos_at" = 0 ]; then petasos_name=$1.000000000000000; else petasos_name=$(printf '%s.%015d' "$1" "$petasos_at"); fi
    petasos_done=$(LC_ALL=C dd bs=65536 count="$petasos_blocks" of="$petasos_name" 2>&1)
    # Fewer reads than it was allowed say that there is no more; a dd that says something else is asked again.
    petasos_done=${petasos_done%% records in*}
    case $petasos_done in
      *[!0-9+]* | +* | *+ | *+*+*) ;;
      *+*) [ $((petasos_done)) -ge "$petasos_blocks" ] || [ ! -s "$petasos_name" ] || [ ! -d "$petasos_dir" ] || break ;;
    esac
    petasos_size=$(wc -c <"$petasos_name" 2>/dev/null)
    [ "${petasos_size:-0}" -gt 0 ] || {
      [ -d "$petasos_dir" ] && break
      continue
    }
    petasos_at=$((petasos_at + petasos_size))
    petasos_kept=$((petasos_kept + petasos_size))
    while [ "$petasos_kept" -gt "$petasos_limit" ]; do
      if [ "$petasos_mode" = hold ]; then
        [ -d "$petasos_dir" ] || break
        petasos_kept=0
        for petasos_f in "$1".[0-9]*; do
          petasos_size=$(wc -c <"$petasos_f" 2>/dev/null)
          petasos_kept=$((petasos_kept + ${petasos_size:-0}))
        done
        [ "$petasos_kept" -gt "$petasos_limit" ] && petasos_nap 0.02
      else
        for petasos_f in "$1".[0-9]*; do break; done
        [ "$petasos_f" = "$petasos_name" ] && break
        petasos_size=$(wc -c <"$petasos_f")
        rm -f -- "$petasos_f"
        petasos_kept=$((petasos_kept - petasos_size))
      fi
    done
  done
  [ -s "$petasos_name" ] || rm -f -- "$petasos_name"
  { : >"$1.end"; } 2>/dev/null
}

petasos_worker() {
  trap : TERM
  exec 7>&2
  petasos_defaults
  eval "$petasos_line"
  petasos_line=
  if [ "$petasos_mode" = hold ]; then
    petasos_run "$@"
  else
    petasos_report() { petasos_record "$1"; }
    petasos_run "$@"
  fi
}

petasos_record() {
  exec >/dev/null 2>&1 7>&1
  # What the command wrote is on its way through the pipes; a left-over child may keep them open for ever.
  petasos_tries=20
  while [ "$petasos_tries" -gt 0 ] && ! { [ -e "$petasos_dir/out.end" ] && [ -e "$petasos_dir/err.end" ]; }; do
    petasos_nap 0.02
    petasos_tries=$((petasos_tries - 1))
  done
  printf '%s\n%s\n' "$1" "$(date +%s)" >"$petasos_dir/status"
}

petasos_refuse() {
  petasos_record "C $1"
}

petasos_started() {
  : >"$petasos_dir/running"
}

# Ends the command at its timeout, and a held one when nobody has read for a while.
petasos_guard() {
  petasos_silent=0 petasos_last= petasos_pause=1
  petasos_clock
  petasos_deadline=$((petasos_now + ${petasos_timeout:-0} / 10))
  while [ -d "$petasos_dir" ] && [ ! -e "$petasos_dir/status" ]; do
    if [ -n "$petasos_timeout" ]; then
      petasos_clock
      petasos_pause=$((petasos_deadline - petasos_now))
      if [ "$petasos_pause" -le 0 ]; then
        : >"$petasos_dir/timed-out"
        break
      fi
      if [ "$petasos_pause" -ge 100 ]; then petasos_pause=1; elif [ "$petasos_pause" -ge 10 ]; then petasos_pause=0.$petasos_pause; else petasos_pause=0.0$petasos_pause; fi
    fi
    petasos_nap "$petasos_pause"
    [ "$petasos_mode" = hold ] || continue
    petasos_beat=
    { IFS= read -r petasos_beat <"$petasos_dir/beat"; } 2>/dev/null
    if [ "$petasos_beat" = "$petasos_last" ]; then petasos_silent=$((petasos_silent + 1)); else petasos_silent=0; fi
    petasos_last=$petasos_beat
    [ "$petasos_silent" -ge "$petasos_patience" ] && break
  done
  [ -e "$petasos_dir/status" ] && return
  petasos_end "$petasos_cookie" none "$petasos_grace"
  [ "$petasos_mode" = hold ] && [ "$petasos_silent" -ge "$petasos_patience" ] && rm -rf -- "$petasos_dir"
}

petasos_cookie=${petasos_dir##*/}
petasos_guarding=
if [ -n "$petasos_timeout" ] || [ "$petasos_mode" = hold ]; then
  petasos_guard </dev/null >/dev/null 2>&1 6>&1 &
  petasos_guarding=$!
fi
# Named pipes, not a pipeline: the end of the command's output must not wait for a shell that holds them for others.
mkfifo -- "$petasos_dir/out.pipe" "$petasos_dir/err.pipe"
petasos_spool "$petasos_dir/out" <"$petasos_dir/out.pipe" &
petasos_spool "$petasos_dir/err" <"$petasos_dir/err.pipe" &
# A shell below this one: as a first shell it would take a command that is stopped for one that has ended.
(petasos_worker) >"$petasos_dir/out.pipe" 2>"$petasos_dir/err.pipe"
[ -n "$petasos_guarding" ] && kill "$petasos_guarding" 2>/dev/null
wait
exit 0
