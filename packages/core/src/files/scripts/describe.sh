# $1 list or stat, $2 path. Prints sections: facts, NUL, then name NUL target NUL for each symlink, then an empty name and
# NUL. A fact is `hex-mode size seconds ./name` and newline; a name holds no slash, so `./` can only begin one.

if stat -c %f / >/dev/null 2>&1; then
  facts() { stat -c '%f %s %Y %n' "$@" 2>/dev/null; }
elif stat -f %Xp / >/dev/null 2>&1; then
  facts() { stat -f '%Xp %z %m %N' "$@" 2>/dev/null; }
else
  TZ=UTC0
  export TZ
  facts() {
    for f; do
      (
        set -f
        name=$f
        set -- $(ls -ldn "$f" 2>/dev/null)
        kind=$1 size=$5
        case $5 in
          *,) size=0 && shift 6 ;;
          *) shift 5 ;;
        esac
        printf '%s %s %s %s %s %s\n' "$kind" "$size" "$1" "$2" "$3" "$name"
      )
    done
  }
fi

section() {
  facts "$@"
  printf '\0'
  for f; do
    if [ -h "$f" ]; then
      printf '%s\0' "$f"
      readlink "$f" 2>/dev/null
      printf '\0'
    fi
  done
  printf '\0'
}

if [ "$1" = stat ]; then
  exists "$2" || unreachable "$2"
  cd -P "${2%/*}/" 2>/dev/null || exit 84
  section "./${2##*/}"
  exit 0
fi

[ -d "$2" ] || { [ -e "$2" ] && exit 83; } || unreachable "$2"
[ -r "$2" ] && cd -P "$2" 2>/dev/null || exit 84
each section .
exit 0
