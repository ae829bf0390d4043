# Finds and ends the process tree of one command, children that called setsid or forked twice included.
#
# A process belongs to the tree when its environment at exec carries the command's cookie, when it descends from the
# root, or when its process group or session was made by the tree.

# One line a process: a stat line of Linux, or "pid parent group state".
petasos_table() {
  if [ "$petasos_proc" = 1 ]; then
    cat /proc/[0-9]*/stat 2>/dev/null
  else
    ps -A -o pid= -o ppid= -o pgid= -o stat= 2>/dev/null
  fi
}

# Sets petasos_marked to the pids whose environment carries the cookie $1.
petasos_mark() {
  petasos_marked=
  [ -n "$1" ] || return 0
  if [ "$petasos_proc" = 1 ]; then
    for petasos_d in $(grep -l "PETASOS_[A-Z]*=$1" /proc/[0-9]*/environ 2>/dev/null); do
      petasos_d=${petasos_d#/proc/}
      petasos_marked="$petasos_marked ${petasos_d%/environ}"
    done
  else
    petasos_marked=$(ps -A -E -ww -o pid= -o command= 2>/dev/null | grep "PETASOS_[A-Z]*=$1" | while read -r a b; do printf ' %s' "$a"; done)
  fi
}

# Sets petasos_found to the live pids of the tree of cookie $1 below root $2.
#
# Kernel threads and init have the parent 0: as a root, 0 or 1 would stand for the whole machine. A group or session whose leader lives
# outside the tree may be a supervisor's, or a person's login; so may all of them while the supervisor does not find itself.
petasos_scan() {
  petasos_mark "$1"
  petasos_found=$(petasos_table | awk -v lane="$$" -v root="$2" -v marked="$petasos_marked" '
    /\) / { pid = $1 + 0; sub(/^.*\) /, ""); state = $1; parent = $2; group = $3; session = $4 }
    !/\) / && NF == 4 && $4 !~ /^[0-9]/ { pid = $1 + 0; state = $4; parent = $2; group = $3; session = $3 }
    state ~ /^[ZX]/ { next }
    pid > 1 { parents[pid] = parent; groups[pid] = group; sessions[pid] = session }
    function made(id, own) { return own != "" && id > 1 && id != own && (id in found || !(id in parents)) }
    END {
      if (root + 0 < 2) root = "none"
      count = split(marked, list, " ")
      for (i = 1; i <= count; i++) mark[list[i]] = 1
      do {
        more = 0
        for (pid in parents) {
          if (pid in found || pid == lane || pid == root) continue
          if (!(pid in mark) && parents[pid] != root && !(parents[pid] in found) && !(groups[pid] in tree) && !(sessions[pid] in tree)) continue
          found[pid] = more = 1
          if (made(groups[pid], groups[lane])) tree[groups[pid]] = 1
          if (made(sessions[pid], sessions[lane])) tree[sessions[pid]] = 1
        }
      } while (more)
      # Parents first: one that sees its child die before it is hit itself goes on with its next line.
      for (pid in found) {
        level = 0
        for (up = pid; (parents[up] in found) && level < 99; up = parents[up]) level++
        levels[level] = levels[level] pid " "
      }
      for (level = 0; level <= 99; level++) if (level in levels) printf "%s", levels[level]
    }' 2>/dev/null)
}

# Sets petasos_busy when process $1 has a child.
petasos_look() {
  petasos_busy=0
  if [ -r "/proc/$1/task/$1/children" ]; then
    petasos_a=
    read -r petasos_a <"/proc/$1/task/$1/children"
    [ -z "$petasos_a" ] || petasos_busy=1
  else
    petasos_scan '' "$1"
    [ -z "$petasos_found" ] || petasos_busy=1
  fi
}

# Sends signal $1 to the tree of cookie $2 below root $3.
petasos_signal() {
  petasos_scan "$2" "$3"
  [ -z "$petasos_found" ] || kill -s "$1" $petasos_found 2>/dev/null
}

petasos_nap() {
  sleep "$1" 2>/dev/null || sleep 1
}

# Sets petasos_now to hundredths of a second on some clock.
petasos_clock() {
  if [ "$petasos_proc" = 1 ] && { read -r petasos_now petasos_a </proc/uptime; } 2>/dev/null; then
    petasos_now=${petasos_now%.*}${petasos_now#*.}
  else
    petasos_now=$(date +%s)00
  fi
}

# A shell that got TERM an instant before it started a child waits for that child first, which nobody has told: it would be killed with
# its own end unfinished. Late in the grace, since a child may as well be what the shell cleans up with.
petasos_tell_late() {
  [ -n "$petasos_told" ] || return 0
  for petasos_d in $petasos_found; do
    case $petasos_told in *" $petasos_d "*) ;; *) kill -s TERM "$petasos_d" 2>/dev/null ;; esac
  done
  petasos_told=
}

# TERM, $3 milliseconds of grace, then KILL until nothing of the tree of cookie $1 below root $2 is left.
petasos_end() {
  petasos_clock
  petasos_until=$((petasos_now + $3 / 10))
  petasos_scan "$1" "$2"
  if [ -n "$petasos_found" ] && [ "$3" -gt 0 ]; then
    kill -s TERM $petasos_found 2>/dev/null
    kill -s CONT $petasos_found 2>/dev/null
    petasos_pause=2 petasos_told=" $petasos_found " petasos_late=$(($3 / 40))
    [ "$petasos_late" -lt 25 ] || petasos_late=25
    while [ -n "$petasos_found" ]; do
      petasos_clock
      [ "$petasos_now" -lt "$petasos_until" ] || break
      [ $((petasos_until - petasos_now)) -gt "$petasos_late" ] || petasos_tell_late
      [ $((petasos_until - petasos_now)) -gt "$petasos_pause" ] || petasos_pause=2
      petasos_nap "0.0$petasos_pause"
      [ "$petasos_pause" -ge 8 ] || petasos_pause=$((petasos_pause * 2))
      petasos_scan "$1" "$2"
    done
  fi
  petasos_left=50
  while [ -n "$petasos_found" ] && [ "$petasos_left" -gt 0 ]; do
    kill -s STOP $petasos_found 2>/dev/null
    kill -s KILL $petasos_found 2>/dev/null
    petasos_nap 0.02
    petasos_left=$((petasos_left - 1))
    petasos_scan "$1" "$2"
  done
}
