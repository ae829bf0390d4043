# Reads what petasos_spool keeps. All offsets count bytes from the start of the stream.

# Plans the reading of stream $2 (out or err) of the job in directory $1 from offset $3, at most $4 bytes. Sets petasos_first (where
# the bytes start, later than asked for when older ones were dropped), petasos_total (how many there are) and petasos_over (1 when
# nothing follows them). petasos_known may hold sizes that were looked up already, as " name:size ".
petasos_known=
petasos_plan() {
  petasos_over=0 petasos_first=$3 petasos_total=0 petasos_plan=
  # Asked before the sizes: what is complete now cannot grow afterwards.
  if [ -e "$1/$2.end" ] || [ -s "$1/status" ]; then petasos_over=1; fi
  for petasos_f in "$1/$2".[0-9]*; do
    [ -e "$petasos_f" ] || continue
    petasos_at=${petasos_f##*.}
    while :; do case $petasos_at in 0?*) petasos_at=${petasos_at#0} ;; *) break ;; esac; done
    case $petasos_known in
      *" ${petasos_f##*/}:"*)
        petasos_size=${petasos_known#*" ${petasos_f##*/}:"}
        petasos_size=${petasos_size%% *}
        ;;
      *) petasos_size=$(wc -c <"$petasos_f" 2>/dev/null) || continue ;;
    esac
    petasos_skip=$((petasos_first + petasos_total - petasos_at))
    [ "$petasos_skip" -ge 0 ] || {
      petasos_first=$petasos_at
      petasos_skip=0
    }
    petasos_take=$((petasos_size - petasos_skip))
    [ "$petasos_take" -gt 0 ] || continue
    if [ $((petasos_total + petasos_take)) -gt "$4" ]; then
      petasos_take=$(($4 - petasos_total))
      petasos_over=0
    fi
    petasos_plan="$petasos_plan ${petasos_f##*/}:$petasos_skip:$petasos_take"
    petasos_total=$((petasos_total + petasos_take))
    [ "$petasos_total" -lt "$4" ] || {
      petasos_over=0
      break
    }
  done
}

# Prints the planned bytes of the job in directory $1.
petasos_emit() {
  for petasos_p in $2; do
    petasos_take=${petasos_p##*:}
    petasos_p=${petasos_p%:*}
    if [ "${petasos_p##*:}" = 0 ]; then head -c "$petasos_take" "$1/${petasos_p%%:*}"; else
      tail -c "+$((${petasos_p##*:} + 1))" "$1/${petasos_p%%:*}" | head -c "$petasos_take"
    fi
  done 2>/dev/null
}
