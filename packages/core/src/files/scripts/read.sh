# $1 path, $2 first byte counted from 1, $3 how many bytes or `all`. A plus sign comes before the content, so that the
# reader knows that the file could be opened.

[ -d "$1" ] && exit 82
[ -e "$1" ] || unreachable "$1"
[ -r "$1" ] || exit 84
{
  printf +
  case $2:$3 in
    *:0) ;;
    1:all) cat || exit 89 ;;
    1:*) head -c "$3" || exit 89 ;;
    *:all) tail -c "+$2" || exit 89 ;;
    *) tail -c "+$2" | head -c "$3" || exit 89 ;;
  esac
} <"$1"
[ $? = 0 ] || exit 84
