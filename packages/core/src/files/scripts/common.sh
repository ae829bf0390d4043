# Shared by every script of this layer. A script ends with an exit status of its own that status.ts translates: statuses
# and the tests below decide, never the words of a program, which depend on version and language.

LC_ALL=C
export LC_ALL
nl='
'

# Ends the script with the reason why the absolute path $1 is not there.
unreachable() {
  p=$1
  while [ -n "$p" ]; do
    p=${p%/*}
    if [ -d "$p/" ]; then
      [ -x "$p/" ] || exit 84
      exit 81
    fi
    [ -e "$p" ] && exit 83
    [ -h "$p" ] && exit 81
  done
  exit 81
}

# Ends the script with the reason why nothing could be made in the directory $1; $2 is a short name that is free there.
# A short name that cannot be made either means that the place takes nothing more: no blocks, no inodes or a quota. Where
# even the directory's own times cannot be set, it is read-only (busybox's `test -w` always says yes to root).
refused() {
  [ -w "$1" ] && [ -x "$1" ] || exit 84
  if (set -C && : >"$1/$2") 2>/dev/null; then
    rm -f "$1/$2"
    exit 87
  fi
  [ -O "$1" ] && ! touch -c -r "$1" "$1" 2>/dev/null && exit 84
  exit 85
}

# Ends the script with the reason why bytes could not be written in the directory $1, as long as the bytes that did go in
# still take their room: when a small new file finds none, there is no space. `df` would not see quotas and reserves.
spent() {
  dd if=/dev/zero of="$1/$2" bs=65536 count=1 2>/dev/null
  s=$?
  rm -f "$1/$2"
  [ $s = 0 ] || exit 85
  exit 89
}

# Makes the directory $1 and its parents; $2 is a short free name.
make_parents() {
  [ -d "$1/" ] && return
  mkdir -p "$1" 2>/dev/null && return
  p=$1
  while [ -n "$p" ] && ! [ -e "$p" ] && ! [ -h "$p" ]; do p=${p%/*}; done
  [ -d "$p/" ] || exit 83
  refused "$p/" "$2"
}

exists() { [ -e "$1" ] || [ -h "$1" ]; }

# Calls the function $1 with the names $2…, some hundred at a time: a directory may hold more than one program takes. The
# text that eval sees holds positions, never names. Everything is derived from the positions again, since $1 may recurse.
portions() {
  slots= count=0
  while [ $# -gt 1 ]; do
    n=$(($# > 400 ? 400 : $# - 1))
    if [ $n != $count ]; then
      slots= count=0
      while [ $count -lt $n ]; do
        count=$((count + 1))
        slots="$slots \"\${$((count + 1))}\""
      done
    fi
    eval "\"\$1\" $slots"
    n=$(($# > 400 ? 400 : $# - 1)) f=$1
    shift $((n + 1))
    set -- "$f" "$@"
  done
}

# Calls the function $1 with the paths of everything in the directory $2. A pattern that matches nothing stays as it is.
each() {
  set -- "$1" "$2" "$2"/*
  each_of "$@"
  set -- "$1" "$2" "$2"/.[!.]*
  each_of "$@"
  set -- "$1" "$2" "$2"/..?*
  each_of "$@"
}
each_of() {
  exists "$3" || return 0
  f=$1
  shift 2
  portions "$f" "$@"
}
