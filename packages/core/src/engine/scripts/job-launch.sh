# Between the start of a held command and a first look at it: $9 and ${10} are bytes and hundredths of a second as the look takes them;
# what follows are directories of commands whose output has arrived, which are removed on the way.

petasos_dir=$1 petasos_most=$9 petasos_wait=${10}
shift 10
for petasos_d; do set -- "$@" "$petasos_d.input"; done
[ $# = 0 ] || rm -rf -- "$@" </dev/null >/dev/null 2>&1 &
set -- "$petasos_dir" 0 0 "$petasos_most" "$petasos_wait" 0
