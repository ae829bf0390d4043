# $1 check or derived, $2 directory. Prints the tree as an archive whose names are relative.

[ -d "$2/" ] || { exists "$2" && exit 83; } || unreachable "$2"
[ -r "$2/" ] && cd -P "$2/" 2>/dev/null || exit 84
[ "$1" = derived ] || exit 0
command -v tar >/dev/null 2>&1 || exit 92
unset TAR_OPTIONS
COPYFILE_DISABLE=1
export COPYFILE_DISABLE
# Linked files travel as files of their own where tar can do that: the one that holds the content may be ignored.
case $(tar --version 2>/dev/null) in *'GNU tar'*) gnu=1 ;; *) gnu= ;; esac
tar ${gnu:+--hard-dereference} -cf - .
s=$?
[ $s = 0 ] && exit 0
# GNU tar says 1 when a file changed or went away while it was read: what arrived is still whole.
[ -n "$gnu" ] && [ $s = 1 ] && exit 0
find . ! -type l -exec sh -c 'for f; do [ -r "$f" ] || exit 1; done' sh {} + 2>/dev/null || exit 84
exit 89
