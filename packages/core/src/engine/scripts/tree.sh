# Finds and ends the process tree of one command, children that called setsid or forked twice included.
#
# A process belongs to the tree when its environment at exec carries the command's cookie, when it descends from the
# root, or when its process group or session was made by the tree.

petasos_list() {
  petasos_rows=
  if [ "$petasos_proc" = 1 ]; then
    for petasos_d in /proc/[0-9]*; do
      { IFS= read -r petasos_s <"$petasos_d/stat"; } 2>/dev/null || continue
      set -- "${petasos_d#/proc/}" ${petasos_s##*) }
      case $2 in Z | X) continue ;; esac
      petasos_rows="$petasos_rows $1:$3:$4:$5"
    done
  else
    petasos_rows=$(ps -A -o pid= -o ppid= -o pgid= -o stat= 2>/dev/null | while read -r a b c d; do
      case $d in Z*) ;; *) printf ' %s:%s:%s:%s' "$a" "$b" "$c" "$c" ;; esac
    done)
  fi
}

# Pids whose environment carries the cookie $1.
petasos_mark() {
  petasos_marked=' '
  [ -n "$1" ] || return 0
  if [ "$petasos_proc" = 1 ]; then
    for petasos_d in $(grep -l "PETASOS_[A-Z]*=$1" /proc/[0-9]*/environ 2>/dev/null); do
      petasos_d=${petasos_d#/proc/}
      petasos_marked="$petasos_marked${petasos_d%/environ} "
    done
  else
    petasos_marked=" $(ps -A -E -ww -o pid= -o command= 2>/dev/null | grep "PETASOS_[A-Z]*=$1" | while read -r a b; do printf '%s ' "$a"; done)"
  fi
}

petasos_own() {
  petasos_own_group= petasos_own_session=
  petasos_list
  for petasos_r in $petasos_rows; do
    case $petasos_r in
      $$:*)
        petasos_r=${petasos_r#*:*:}
        petasos_own_group=${petasos_r%%:*} petasos_own_session=${petasos_r#*:}
        ;;
    esac
  done
}

# Succeeds when the group or session $1 is the tree's: its leader has ended, or is of the tree. A leader outside may be a supervisor, or a
# person's login; so may $2, the supervisor's own, and all of them while that is not known.
petasos_adopt() {
  [ -n "$2" ] || return 1
  case $1 in 0 | 1 | "$2") return 1 ;; esac
  case $petasos_found in *" $1 "*) return 0 ;; esac
  case $petasos_rows in *" $1:"*) return 1 ;; esac
}

# Sets petasos_found to the live pids of the tree of cookie $1 below root $2.
petasos_scan() {
  # Kernel threads and init have the parent 0: as a root it would stand for the whole machine.
  case $2 in '' | *[!0-9]* | 0 | 1) petasos_root=none ;; *) petasos_root=$2 ;; esac
  petasos_mark "$1"
  petasos_list
  petasos_found=' ' petasos_groups=' ' petasos_sessions=' '
  petasos_more=1
  while [ $petasos_more = 1 ]; do
    petasos_more=0
    for petasos_r in $petasos_rows; do
      IFS=:
      set -- $petasos_r
      unset IFS
      case $petasos_found in *" $1 "*) continue ;; esac
      case " 0 1 $$ $petasos_root $petasos_spare " in *" $1 "*) continue ;; esac
      case "$petasos_found $petasos_root " in
        *" $2 "*) ;;
        *)
          case "$petasos_marked" in
            *" $1 "*) ;;
            *)
              case "$petasos_groups" in
                *" $3 "*) ;;
                *) case "$petasos_sessions" in *" $4 "*) ;; *) continue ;; esac ;;
              esac
              ;;
          esac
          ;;
      esac
      petasos_more=1
      petasos_found="$petasos_found$1 "
      petasos_adopt "$3" "$petasos_own_group" && petasos_groups="$petasos_groups$3 "
      petasos_adopt "$4" "$petasos_own_session" && petasos_sessions="$petasos_sessions$4 "
    done
  done
}

# Sends signal $1 to the tree of cookie $2 below root $3.
petasos_signal() {
  petasos_own
  petasos_scan "$2" "$3"
  [ "$petasos_found" = ' ' ] || kill -s "$1" $petasos_found 2>/dev/null
}

petasos_nap() {
  sleep "$1" 2>/dev/null || sleep 1
}

# TERM, $3 milliseconds of grace, then KILL until nothing of the tree of cookie $1 below root $2 is left.
petasos_end() {
  petasos_cookie_end=$1 petasos_root_end=$2 petasos_left=$3
  petasos_own
  petasos_scan "$petasos_cookie_end" "$petasos_root_end"
  if [ "$petasos_found" != ' ' ] && [ "$petasos_left" -gt 0 ]; then
    kill -s TERM $petasos_found 2>/dev/null
    kill -s CONT $petasos_found 2>/dev/null
    while [ "$petasos_left" -gt 0 ]; do
      petasos_nap 0.03
      petasos_scan "$petasos_cookie_end" "$petasos_root_end"
      [ "$petasos_found" = ' ' ] && break
      petasos_left=$((petasos_left - 40))
    done
  fi
  petasos_left=50
  while [ "$petasos_found" != ' ' ] && [ "$petasos_left" -gt 0 ]; do
    kill -s KILL $petasos_found 2>/dev/null
    petasos_nap 0.02
    petasos_left=$((petasos_left - 1))
    petasos_scan "$petasos_cookie_end" "$petasos_root_end"
  done
}
