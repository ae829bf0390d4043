# Prints a line "offset length end", then the bytes of stream $2 of the job in directory $1 from offset $3, at most $4. Exits 3 when
# there is no such job.

[ -d "$1" ] || exit 3
petasos_plan "$1" "$2" "$3" "$4"
printf '%s %s %s\n' "$petasos_first" "$petasos_total" "$petasos_over"
petasos_emit "$1" "$petasos_plan"
exit 0
