# $1 what to do, $2 path, $3 name of the temporary file, $4 mode or nothing, $5 end mark.
#   derived  stdin is the content followed by the end mark: without it the client was lost, and the old content stays
#   prepare  prints where the temporary file belongs, for a driver that writes it itself; then commit or discard
#
# The temporary stands beside the file, so that the rename is atomic. A symlink is written through, as `>` does.

p=$2
hops=0
while [ -h "$p" ]; do
  hops=$((hops + 1))
  [ $hops -le 40 ] || exit 87
  link=$(readlink "$p" && printf .) || exit 89
  link=${link%.}
  link=${link%"$nl"}
  case $link in
    /*) p=$link ;;
    *) p=${p%/*}/$link ;;
  esac
done
target=$p
directory=${target%/*}
directory=${directory:-/}
temporary=$directory/$3

if [ "$1" = discard ]; then
  rm -f "$temporary"
  exit
fi

[ -d "$target" ] && exit 82
case $target in */) exit 82 ;; esac
if [ -e "$target" ]; then
  [ -f "$target" ] || exit 88
  [ -w "$target" ] || exit 84
else
  make_parents "$directory" "$3"
fi

# Mode and owner of the file $1, for chmod and chown.
standing() {
  stat -c '%a %u:%g' "$1" 2>/dev/null && return
  stat -f '%Mp%Lp %u:%g' "$1" 2>/dev/null && return
  ls -ldn "$1" | sed -n '1{s/^.\(...\)\(...\)\(...\).  *[0-9]*  *\([0-9]*\)  *\([0-9]*\) .*/u=\1,g=\2,o=\3 \4:\5/;s/-//g;s/s/xs/g;s/S/s/g;s/t/x/g;s/T//g;p;}'
}

receive() {
  trap 'rm -f "$temporary"' EXIT
  trap 'exit 90' HUP INT TERM
  (umask 077 && set -C && cat >"$temporary") 2>/dev/null
  if [ $? != 0 ]; then
    [ -e "$temporary" ] || refused "$directory" "$1"
    spent "$directory" "$1.p"
  fi
  size=$(wc -c <"$temporary")
  size=$((size - ${#2}))
  [ $size -ge 0 ] && [ "$(tail -c ${#2} "$temporary")" = "$2" ] || exit 91
  dd if=/dev/null of="$temporary" bs=1 seek=$size 2>/dev/null || exit 89
}

commit() {
  mode=${1:-644}
  if [ -e "$target" ]; then
    old=$(standing "$target")
    [ -O "$target" ] && [ -G "$target" ] || chown "${old#* }" "$temporary" 2>/dev/null
    mode=${1:-${old% *}}
  fi
  chmod "$mode" "$temporary" || exit 89
  [ -d "$target" ] && exit 82
  if ! mv -f "$temporary" "$target"; then
    [ -e "$target" ] || exit 87
    [ -k "$directory" ] && ! [ -O "$target" ] && exit 84
    exit 89
  fi
}

case $1 in
  prepare)
    [ -w "$directory" ] && [ -x "$directory" ] || exit 84
    printf %s "$temporary"
    ;;
  commit) commit "$4" ;;
  derived)
    receive "$3" "$5"
    commit "$4"
    ;;
esac
