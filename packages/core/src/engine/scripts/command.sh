# Runs one command, given by a message: positional parameters are program and arguments; petasos_nonce, petasos_cookie,
# petasos_cwd, petasos_in (none, rest, data, file), petasos_data, petasos_text and petasos_note are set, and petasos_env exports
# the command's variables. Reports on both streams, so that each is known to be drained.

petasos_defaults() {
  petasos_cwd= petasos_in=none petasos_data= petasos_text= petasos_note= petasos_ack=
  petasos_env() { :; }
}

# A record separator ends the payload because a path in it may hold newlines.
petasos_report() {
  printf '\036%s %s\036' "$petasos_nonce" "$1"
  printf '\036%s %s\036' "$petasos_nonce" "$1" >&7
}

petasos_refuse() {
  petasos_report "C $1"
}

petasos_started() {
  printf '\036%s S\036' "$petasos_nonce"
}

petasos_child() {
  # Said by the command's own process: a signal that follows at once finds it.
  [ -n "$petasos_ack" ] && petasos_started
  exec 2>&7 7>&- 6>&-
  unset OLDPWD
  petasos_env
  PETASOS_EXEC=$petasos_cookie
  export PETASOS_EXEC
  exec "$@"
}

# A text that is too long for an argument arrives on descriptor 3 instead.
petasos_launch() {
  if [ -n "$petasos_text" ]; then
    { printf %s "$petasos_text" | {
      exec 3<&0 0<&5 5<&-
      petasos_child "$@"
    }; } 5<&0
  else
    (petasos_child "$@")
  fi
}

petasos_start() {
  case $petasos_in in
    rest) petasos_launch "$@" ;;
    file) petasos_launch "$@" <"$petasos_data" ;;
    data) printf %b "$petasos_data" 2>/dev/null | petasos_launch "$@" ;;
    *) petasos_launch "$@" </dev/null ;;
  esac
}

# Succeeds when a process that started since the command did may still hold one of the two streams, or when that cannot be
# known. Only such a process can write into the next command's output.
petasos_held() {
  [ "$petasos_proc" = 1 ] || return 0
  read -r petasos_a petasos_a petasos_a petasos_a petasos_last </proc/loadavg
  if [ "$petasos_last" -gt "$petasos_first" ] && [ "$petasos_last" -lt $((petasos_first + 300)) ]; then
    while [ "$petasos_first" -lt "$petasos_last" ]; do
      petasos_first=$((petasos_first + 1))
      [ -d "/proc/$petasos_first" ] && petasos_holds "$petasos_first" && return 0
    done
    return 1
  fi
  petasos_held_by_any
}

# The lane's own shells, its first one and the children of that, hold the streams as well and do not count. Nor does what stands above
# them: a login shell that waits for the lane.
petasos_held_by_any() {
  petasos_whoami
  petasos_above=" $$ $petasos_self " petasos_parent=$$
  while petasos_stat "$petasos_parent" && [ "$petasos_parent" -gt 0 ]; do petasos_above="$petasos_above$petasos_parent "; done
  for petasos_d in /proc/[0-9]*; do
    case $petasos_above in *" ${petasos_d#/proc/} "*) continue ;; esac
    petasos_holds "${petasos_d#/proc/}" && petasos_stat "$petasos_holder" || continue
    [ "$petasos_parent" = "$$" ] || return 0
  done
  return 1
}

petasos_holds() {
  petasos_holder=$1
  if [ -r "/proc/$1/fd" ]; then
    for petasos_f in "/proc/$1/fd/"*; do
      [ "$petasos_f" -ef /proc/self/fd/1 ] && return 0
      [ "$petasos_f" -ef /proc/self/fd/7 ] && return 0
    done
    # It may have become a program that hides them while they were looked at.
    [ -r "/proc/$1/fd" ] && return 1
  fi
  # A process of another user hides its descriptors. One that started during the command may be its child, such as sudo's: then it
  # is in the session of the lane or of the command, or has been left to init. What else others start meanwhile is no matter.
  [ "$1" -gt "$petasos_seen" ] && petasos_stat "$1" || return 1
  [ "$petasos_parent" -le "$petasos_init" ] || case $petasos_s in "$petasos_session" | "$petasos_of") ;; *) return 1 ;; esac
  petasos_hidden=1
}

# Sets petasos_state, petasos_parent and petasos_s, the session, of process $1. Fails where it is gone.
petasos_stat() {
  { IFS= read -r petasos_s <"/proc/$1/stat"; } 2>/dev/null || return 1
  petasos_s=${petasos_s##*) }
  petasos_state=${petasos_s%% *}
  case $petasos_state in Z | X) return 1 ;; esac
  petasos_s=${petasos_s#* }
  petasos_parent=${petasos_s%% *}
  petasos_s=${petasos_s#* }
  petasos_s=${petasos_s#* }
  petasos_s=${petasos_s%% *}
}

# Whether a process that was found to hold the streams still does, or one that has come out of it. What others have started since is
# no matter: what hides its descriptors is looked for in the sessions of the lane and of that process alone.
petasos_still_held() {
  petasos_seen=0 petasos_init=-1
  petasos_held_by_any
}

petasos_run() {
  if [ -n "$petasos_cwd" ] && ! cd -- "$petasos_cwd" 2>/dev/null >&2; then
    if [ -d "$petasos_cwd" ]; then petasos_refuse denied; elif [ -e "$petasos_cwd" ]; then petasos_refuse file; else petasos_refuse missing; fi
    return
  fi
  [ -n "$petasos_messages" ] && [ -s "$petasos_messages" ] && : >"$petasos_messages"
  petasos_first=0
  [ "$petasos_proc" = 1 ] && read -r petasos_a petasos_a petasos_a petasos_a petasos_first </proc/loadavg
  petasos_seen=$petasos_first petasos_init=1 petasos_of=none
  # The command gets a process group of its own, so that its "kill 0" reaches nobody else.
  if [ -n "$petasos_bash" ]; then set -m; elif [ -n "$petasos_setsid" ]; then set -- setsid "$@"; fi
  # The shell's own "Killed" goes to a file and tells a signal from an exit status above 128.
  { petasos_start "$@"; petasos_status=$?; } 2>&6
  petasos_by_signal=0
  if [ "$petasos_status" -gt 128 ]; then
    if [ -z "$petasos_messages" ] || [ -s "$petasos_messages" ]; then petasos_by_signal=1; fi
  fi
  # 1: a process that can be asked again later; 2: one that cannot.
  petasos_hidden=0 petasos_dirty=0
  if petasos_held; then
    petasos_dirty=$((1 + petasos_hidden))
    [ "$petasos_proc" = 1 ] && petasos_stat "$petasos_holder" && petasos_of=$petasos_s
  fi
  petasos_line=
  [ -n "$petasos_note" ] && { IFS= read -r petasos_line <"$petasos_note"; } 2>/dev/null
  petasos_report "E $petasos_status $petasos_by_signal $petasos_dirty $petasos_line"
}
