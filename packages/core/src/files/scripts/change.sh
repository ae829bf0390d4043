# $1 what to do, $2 a short name that is free everywhere, $3… its arguments.

parent() {
  d=${1%/*}
  d=${d:-/}
}

# $1 path, $2 mode or nothing
make() {
  [ -d "$1" ] && exit 0
  exists "$1" && exit 86
  parent "$1"
  make_parents "$d" "$free"
  if [ -n "$2" ]; then mkdir -m "$2" "$1" 2>/dev/null; else mkdir "$1" 2>/dev/null; fi && exit 0
  [ -d "$1" ] && exit 0
  refused "$d" "$free"
}

# $1 path, $2 `recursive` or nothing
discard() {
  exists "$1" || unreachable "$1"
  parent "$1"
  if [ -d "$1" ] && ! [ -h "$1" ]; then
    [ "$2" = recursive ] || exit 82
    rm -rf "$1" && exit 0
  else
    rm -f "$1" && exit 0
  fi
  [ -w "$d" ] && [ -x "$d" ] || exit 84
  [ "$(id -u)" = 0 ] || exit 84
  exit 89
}

# $1 from, $2 to
rename() {
  exists "$1" || unreachable "$1"
  [ "$1" = "$2" ] && exit 0
  case $2 in "$1"/*) exit 87 ;; esac
  [ -d "$2" ] && exit 86
  [ -d "$1" ] && ! [ -h "$1" ] && exists "$2" && exit 86
  parent "$2"
  make_parents "$d" "$free"
  mv -f "$1" "$2" && exit 0
  [ -w "$d" ] && [ -x "$d" ] || exit 84
  parent "$1"
  [ -w "$d" ] && [ -x "$d" ] || exit 84
  [ -k "$d" ] && ! [ -O "$1" ] && exit 84
  parent "$2"
  [ -d "$1" ] || spent "$d" "$free"
  refused "$d" "$free"
}

what=$1
free=$2
shift 2
"$what" "$@"
