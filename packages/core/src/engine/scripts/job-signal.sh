# Signals the job of cookie $1 in directory $2: $3 is a signal name, or "end" for TERM, $4 milliseconds of grace, KILL.

petasos_proc=0 [ -r /proc/self/stat ] && petasos_proc=1
if [ "$3" = end ]; then petasos_end "$1" none "$4"; else petasos_signal "$3" "$1" none; fi
exit 0
