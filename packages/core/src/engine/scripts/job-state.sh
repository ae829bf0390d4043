# Prints the state of every job named by $2… below directory $1, or of all when none is named: fields that end with a newline,
# each job ended by a record separator.

cd -- "$1" 2>/dev/null || exit 0
shift
[ $# -gt 0 ] || set -- *
for petasos_j in "$@"; do
  [ -f "$petasos_j/about" ] || continue
  petasos_status= petasos_ended= petasos_pid= petasos_birth= petasos_alive=0 petasos_late=0
  { read -r petasos_pid <"$petasos_j/pid"; } 2>/dev/null
  { IFS= read -r petasos_birth <"$petasos_j/birth"; } 2>/dev/null
  if [ -s "$petasos_j/status" ]; then
    { IFS= read -r petasos_status && read -r petasos_ended; } <"$petasos_j/status"
  elif [ -z "$petasos_pid" ]; then
    petasos_alive=1
  elif [ -r /proc/self/stat ]; then
    if { IFS= read -r petasos_s <"/proc/$petasos_pid/stat"; } 2>/dev/null; then
      petasos_name=$petasos_j
      set -f
      petasos_x=${petasos_s##*) }
      petasos_n=1
      for petasos_f in $petasos_x; do
        [ $petasos_n = 20 ] && [ "$petasos_f" = "$petasos_birth" ] && petasos_alive=1
        petasos_n=$((petasos_n + 1))
      done
      set +f
    fi
  elif [ "$(ps -o lstart= -p "$petasos_pid" 2>/dev/null)" = "$petasos_birth" ]; then
    petasos_alive=1
  fi
  # It may have ended between the two looks.
  if [ $petasos_alive = 0 ] && [ -z "$petasos_status" ] && [ -s "$petasos_j/status" ]; then
    { IFS= read -r petasos_status && read -r petasos_ended; } <"$petasos_j/status"
  fi
  [ -e "$petasos_j/timed-out" ] && petasos_late=1
  printf '%s\n%s\n%s\n%s\n%s\n%s\n' "$petasos_j" "$petasos_pid" "$petasos_alive" "$petasos_status" "$petasos_ended" "$petasos_late"
  cat "$petasos_j/about"
  printf '\036'
done
exit 0
