# $1 what to do, $2 target directory, $3 name of the staging directory in it, $4 name of the entry that ends the archive.
#   derived  stdin is the archive
#   prepare  prints the user's ids and the staging directory, for a driver that unpacks itself; then commit or discard
#
# The archive is unpacked beside the target's own entries and moved into place when it is whole, which its end entry
# proves. So directories that exist keep their mode, and an interrupted transfer changes nothing.

target=$2
stage=$target/$3

# What was not there before goes again; rmdir spares what others have filled meanwhile.
standing=$target
discard() {
  chmod -R u+rwx "$stage" 2>/dev/null
  rm -rf "$stage"
  p=$target
  while [ "$p" != "$standing" ] && rmdir "$p" 2>/dev/null; do p=${p%/*}; done
}

prepare() {
  if ! [ -d "$target/" ]; then
    exists "$target" && exit 83
    while [ -n "$standing" ] && ! exists "$standing"; do standing=${standing%/*}; done
    make_parents "$target" "$1"
  fi
  mkdir -m 700 "$stage" 2>/dev/null || refused "$target" "$1"
}

# Not every tar keeps modes for an ordinary user, whatever it is told: so none may be masked. Nobody else can look in.
unpack() {
  command -v tar >/dev/null 2>&1 || exit 92
  unset TAR_OPTIONS
  (cd -P "$stage" && umask 0 && exec tar -xpof -) || spent "$target" "$1.p"
}

# Places the staged paths $1…, which are in one directory: directories that both sides have are merged.
place() {
  for f; do
    shift
    t=$target${f#"$stage"}
    if [ -d "$f" ] && ! [ -h "$f" ]; then
      if [ -d "$t" ]; then
        merge "$f"
        continue
      fi
      exists "$t" && exit 83
      if [ $pass = move ] && ! [ -w "$f" ]; then
        chmod u+w "$f" && mv -f "$f" "$t" && chmod u-w "$t" || exit 89
        continue
      fi
    elif [ -d "$t" ] && ! [ -h "$t" ]; then
      exit 82
    fi
    set -- "$@" "$f"
  done
  if [ $pass = move ] && [ $# -gt 0 ]; then
    t=$target${1#"$stage"}
    mv -f "$@" "${t%/*}/" || exit 89
  fi
}

merge() {
  t=$target${1#"$stage"}/
  [ -w "$t" ] && [ -x "$t" ] || exit 84
  # It only passes on what it holds; its own mode may forbid even that.
  [ -r "$1" ] && [ -w "$1" ] && [ -x "$1" ] || chmod u+rwx "$1"
  each place "$1"
}

commit() {
  [ -f "$stage/$1" ] || exit 91
  # Not every tar gives a directory that is there already the mode of its second entry.
  while read -r mode name; do
    name=$(printf '%bx' "$name")
    chmod "$mode" "$stage/${name%x}"
  done <"$stage/$1"
  rm -f "$stage/$1"
  for pass in check move; do merge "$stage"; done
  standing=$target
}

case $1 in
  derived)
    trap discard EXIT
    trap 'exit 90' HUP INT TERM
    prepare "$3"
    unpack "$3"
    commit "$4"
    ;;
  prepare)
    prepare "$3"
    printf '%s %s %s' "$(id -u)" "$(id -g)" "$stage"
    ;;
  commit)
    trap discard EXIT
    commit "$4"
    ;;
  discard) discard ;;
esac
exit 0
