# Ends every process whose environment carries the cookie $1, with $2 milliseconds of grace.
petasos_proc=0
[ -r /proc/self/stat ] && petasos_proc=1
petasos_end "$1" none "$2"
