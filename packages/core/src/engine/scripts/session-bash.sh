# One command of a stateful session, under bash: loads the state that the command before has left, runs the text, and saves the
# state when the shell ends, in whichever way it does. A command that is killed or replaced saves nothing: what it found stays.
#
#   $1 directory of the session   $2 slot to load (empty for the first command)   $3 slot to save   $4 number of this save
#   $5 functions (bash keeps them itself)   $6 directory after the command before   $7 the text (absent: on descriptor 3)

# Called once, with tracing kept from the user's eyes by whoever calls it. Returns the status that the command has left.
petasos_save() {
  petasos_last=$? petasos_flags=$-
  [ "$BASH_SUBSHELL$petasos_saved" = 00 ] || return "$petasos_last"
  petasos_saved=1
  set +o >|"$petasos_session/options.$petasos_slot"
  set +euxvfC
  # The next command begins with this status; under errexit it would end there.
  case $petasos_flags in *e*) ;; *) printf 'return %s\n' "$petasos_last" >>"$petasos_session/options.$petasos_slot" ;; esac
  {
    shopt -p
    declare -f
    export -fp
    declare -p
    printf 'unalias -a\n'
    alias -p
    while IFS= read -r petasos_name; do [ -n "${!petasos_name+x}" ] || printf 'unset -v %s\n' "$petasos_name"; done <"$petasos_session/inherited"
    umask -p
  } >|"$petasos_session/state.$petasos_slot"
  petasos_encode "$PWD"
  printf '%s %s %s %s\n' "$petasos_number" "$petasos_fresh" "$petasos_fell" "$petasos_at" >|"$petasos_session/note.$petasos_slot"
  return "$petasos_last"
}
petasos_encode() {
  petasos_at=${1//\\/\\\\}
  petasos_at=${petasos_at//$'\n'/\\n}
  petasos_at=${petasos_at// /\\s}
}

unset BASH_EXECUTION_STRING
# The directory is private, so the files in it need not be; a fork to learn the umask would cost more than all the rest.
if [ -z "$2" ] || [ ! -d "$1" ]; then
  mkdir -p -m 700 -- "$1"
  compgen -e >"$1/inherited"
fi
shopt -s expand_aliases
petasos_exec=$PETASOS_EXEC petasos_fell=- petasos_fresh=0
if [ -n "$2" ]; then
  petasos_at=$6
  if [ -f "$1/state.$2" ]; then
    . "$1/state.$2" 2>/dev/null
    petasos_fell=- petasos_fresh=0 petasos_at=$PWD
  else
    petasos_fresh=1
  fi
  PETASOS_EXEC=$petasos_exec petasos_before=$OLDPWD
  until cd -- "$petasos_at" 2>/dev/null; do
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
petasos_session=$1 petasos_slot=$3 petasos_number=$4 petasos_saved=0
trap '{ petasos_save; } 2>/dev/null' EXIT
if [ -n "$2" ]; then petasos_options=$1/options.$2; else petasos_options=/dev/null; fi
if [ $# -ge 7 ]; then set -- "$7"; else
  set -- "$(cat <&3; echo x)"
  exec 3<&-
  set -- "${1%x}"
fi
eval "set --;. \"\$petasos_options\" 2>/dev/null;$1"
{ petasos_save; } 2>/dev/null
