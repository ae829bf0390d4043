# One command of a stateful session, under a shell that knows only POSIX: as session-bash.sh, but such a shell cannot print its
# functions, so the ones that commands have defined come along as text.
#
#   $1 directory of the session   $2 slot to load (empty for the first command)   $3 slot to save   $4 number of this save
#   $5 names of functions, a newline, their text   $6 directory after the command before
#   $7 the text (absent: on descriptor 3)

petasos_save() {
  petasos_last=$? petasos_flags=$-
  [ "$petasos_saved" = 0 ] || return "$petasos_last"
  petasos_saved=1
  set +euxvfC
  # Emptying a file first may make the file system write it out: the end of what counts is marked instead.
  {
    set
    export -p
    readonly -p
    command alias >"$petasos_session/alias"
    while IFS= read -r petasos_name; do command printf 'alias %s\n' "$petasos_name"; done <"$petasos_session/alias"
    while IFS= read -r petasos_name; do
      case $petasos_name in
        export\ *=*)
          petasos_name=${petasos_name#export }
          petasos_name=${petasos_name%%=*}
          case $petasos_name in *[!A-Za-z0-9_]*) continue ;; esac
          eval "[ -n \"\${$petasos_name+x}\" ]" || command printf 'unset %s\n' "$petasos_name"
          ;;
      esac
    done <"$petasos_session/inherited"
    for petasos_name in $petasos_names; do
      case $(command -V "$petasos_name" 2>/dev/null) in *function*) ;; *) command printf 'unset -f %s\n' "$petasos_name" ;; esac
    done
    command printf 'umask '
    command umask
    command printf 'return\n'
  } 1<>"$petasos_session/state.$petasos_slot"
  petasos_name=
  for petasos_at in e u x v f C a n; do case $petasos_flags in *"$petasos_at"*) petasos_name=$petasos_name$petasos_at ;; esac; done
  case $petasos_flags in *e*) petasos_at= ;; *) petasos_at=$petasos_last ;; esac
  command printf '%s\nreturn %s\n' "${petasos_name:+set -$petasos_name}" "$petasos_at" 1<>"$petasos_session/options.$petasos_slot"
  petasos_encode "$PWD"
  command printf '%s %s %s %s\n' "$petasos_number" "$petasos_fresh" "$petasos_fell" "$petasos_at" 1<>"$petasos_session/note.$petasos_slot"
  return "$petasos_last"
}
petasos_encode() {
  petasos_at=$1
  case $1 in *\\* | *" "* | *"$petasos_nl"*)
      # The letter behind it keeps a newline at the very end.
      petasos_at=$(command printf '%sx' "$1" | sed -e 's/\\/\\\\/g' -e 's/ /\\s/g' -e '$!s/$/\\n/' | tr -d '\n')
      petasos_at=${petasos_at%x}
      ;;
  esac
}

petasos_nl='
'
# The directory is private, so the files in it need not be.
if [ -z "$2" ] || [ ! -d "$1" ]; then
  mkdir -p -m 700 -- "$1"
  export -p >"$1/inherited"
fi
# From here on the user's aliases and functions are there; what is quoted is no alias.
petasos_exec=$PETASOS_EXEC petasos_fell=- petasos_fresh=0
if [ -n "$2" ]; then
  petasos_at=$6
  eval "${5#*"$petasos_nl"}" 2>/dev/null
  if [ -f "$1/state.$2" ]; then
    . "$1/state.$2" 2>/dev/null
    petasos_fell=- petasos_fresh=0 petasos_at=$PWD
  else
    petasos_fresh=1
  fi
  PETASOS_EXEC=$petasos_exec petasos_before=$OLDPWD
  until \command cd -- "$petasos_at" 2>/dev/null >&2; do
    petasos_fell=1 petasos_at=${petasos_at%/*}
    [ -n "$petasos_at" ] || petasos_at=/
  done
  if [ "$petasos_fell" = 1 ]; then
    petasos_encode "$petasos_at"
    petasos_fell=$petasos_at
  else
    OLDPWD=$petasos_before
  fi
fi
petasos_session=$1 petasos_slot=$3 petasos_number=$4 petasos_saved=0 petasos_names=${5%%"$petasos_nl"*}
\trap '{ petasos_save; } 2>/dev/null' EXIT
if \[ -n "$2" ]; then petasos_options=$1/options.$2; else petasos_options=/dev/null; fi
if \[ $# -ge 7 ]; then \set -- "$7"; else
  \set -- "$(\command cat <&3; \command echo x)"
  \exec 3<&-
  \set -- "${1%x}"
fi
\eval "\\set --;\\. \"\$petasos_options\" 2>/dev/null;$1"
{ petasos_save; } 2>/dev/null
