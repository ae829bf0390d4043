# Waits up to $5 hundredths of a second until the held command in directory $1 has written past offsets $2 (stdout) and $3
# (stderr), then prints a line "outlength errlength alive" and the bytes of both, at most $4 each. What lies before the offsets has
# arrived at the reader and is removed. $6 is a number that no other poll has: it says that there is still a reader. Exits 3 when
# the command is gone.

[ -d "$1" ] || exit 3
printf '%s\n' "$6" >"$1/beat"

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
petasos_forget "$1/out" "$2"
petasos_forget "$1/err" "$3"

petasos_alive=1
petasos_wait=$5
while :; do
  { read -r petasos_pid <"$1/pid"; } 2>/dev/null
  kill -0 "$petasos_pid" 2>/dev/null || petasos_alive=0
  petasos_plan "$1" out "$2" "$4"
  petasos_out=$petasos_total petasos_outplan=$petasos_plan
  petasos_plan "$1" err "$3" "$4"
  if [ $((petasos_out + petasos_total)) -gt 0 ] || [ $petasos_alive = 0 ] || [ "$petasos_wait" -le 0 ]; then break; fi
  if sleep 0.02 2>/dev/null; then petasos_wait=$((petasos_wait - 3)); else
    sleep 1
    petasos_wait=$((petasos_wait - 100))
  fi
done
printf '%s %s %s\n' "$petasos_out" "$petasos_total" "$petasos_alive"
petasos_emit "$1" "$petasos_outplan"
petasos_emit "$1" "$petasos_plan"
exit 0
