# Waits up to $5 hundredths of a second until the held command in directory $1 has written past offsets $2 (stdout) and $3
# (stderr), then prints a line "outlength errlength alive" and the bytes of both, at most $4 each. What lies before the offsets has
# arrived at the reader and is removed. $6 is a number that no other poll has: it says that there is still a reader. Exits 3 when
# the command is gone.

[ -d "$1" ] || exit 3
{ printf '%s\n' "$6" >"$1/beat"; } 2>/dev/null

petasos_forget() {
  for petasos_f in "$1".[0-9]*; do
    [ -e "$petasos_f" ] || continue
    petasos_at=${petasos_f##*.}
    while :; do case $petasos_at in 0?*) petasos_at=${petasos_at#0} ;; *) break ;; esac; done
    # The newest file is still being written: only one with a successor is complete.
    [ -n "$petasos_older" ] && [ "$petasos_at" -le "$2" ] && rm -f -- "$petasos_older"
    petasos_older=$petasos_f
  done
  petasos_older=
}
petasos_older=
cd -- "$1" || exit 3
petasos_forget out "$2"
petasos_forget err "$3"

# Sets petasos_known from what wc says: sizes and names, the sum last.
petasos_note() {
  petasos_known=' '
  while [ $# -gt 1 ]; do
    petasos_known="$petasos_known$2:$1 "
    shift 2
  done
}

petasos_pid= petasos_alive=1 petasos_wait=$5 petasos_turn=0 petasos_pause=1 petasos_linger=4 petasos_sizes=
while :; do
  [ -d "$1" ] || exit 3
  [ -n "$petasos_pid" ] || { read -r petasos_pid <pid; } 2>/dev/null
  kill -0 "$petasos_pid" 2>/dev/null || petasos_alive=0
  petasos_last=$petasos_alive
  [ -e out.end ] && [ -e err.end ] && petasos_last=0
  petasos_turn=$((petasos_turn + 1)) petasos_before=$petasos_sizes
  # One program tells whether anything has grown; only then it is worth while to look where.
  for petasos_o in out.[0-9]*; do :; done
  for petasos_e in err.[0-9]*; do :; done
  petasos_sizes=$(wc -c "$petasos_o" "$petasos_e" 2>/dev/null)
  if [ "$petasos_sizes" != "$petasos_before" ] || [ "$petasos_last" = 0 ] || [ $((petasos_turn % 8)) = 1 ]; then
    petasos_note $petasos_sizes
    petasos_plan . out "$2" "$4"
    petasos_out=$petasos_total petasos_outplan=$petasos_plan
    petasos_plan . err "$3" "$4"
  fi
  if [ "$petasos_alive" = 0 ] || [ "$petasos_wait" -le 0 ]; then break; fi
  petasos_step=$petasos_pause
  if [ $((petasos_out + petasos_total)) -gt 0 ]; then
    # What has begun to come is mostly whole in a moment, and is then one answer.
    if [ "$petasos_last" = 0 ] || [ "$petasos_out" -ge "$4" ] || [ "$petasos_total" -ge "$4" ] || [ "$petasos_linger" = 0 ]; then break; fi
    petasos_linger=$((petasos_linger - 1)) petasos_step=1
  elif [ "$petasos_pause" -lt 9 ] && [ "$petasos_turn" -gt 3 ]; then
    petasos_pause=$((petasos_pause + 1))
  fi
  if sleep "0.0$petasos_step" 2>/dev/null; then petasos_wait=$((petasos_wait - petasos_step - 1)); else
    sleep 1
    petasos_wait=$((petasos_wait - 100))
  fi
done
printf '%s %s %s\n' "$petasos_out" "$petasos_total" "$petasos_alive"
petasos_emit . "$petasos_outplan"
petasos_emit . "$petasos_plan"
exit 0
