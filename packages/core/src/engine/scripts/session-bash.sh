# One command of a stateful session, under bash: loads the state that the command before has left, runs the text, and saves the
# state when the shell ends, in whichever way it does. A command that is killed or replaced saves nothing: what it found stays.
#
#   $1 directory of the session   $2 slot to load (empty for the first command)   $3 slot to save   $4 number of this save
#   $5 functions (bash keeps them itself)   $6 directory after the command before   $7 the text (absent: on descriptor 3)

unset BASH_EXECUTION_STRING
# The directory is private, so the files in it need not be; a fork to learn the umask would cost more than all the rest.
if [ -z "$2" ] || [ ! -d "$1" ]; then
  mkdir -p -m 700 -- "$1"
  petasos_names=$(compgen -e)
  echo unset -v $petasos_names >"$1/inherited"
fi
shopt -s expand_aliases
petasos_exec=$PETASOS_EXEC petasos_fell=- petasos_fresh=0 petasos_changed=0 petasos_last=0
petasos_set=$SHELLOPTS petasos_shopt=${BASHOPTS-}
petasos_at=$6
if [ -n "$2" ]; then
  if [ -f "$1/state.$2" ]; then
    {
      . "$1/inherited"
      . "$1/state.$2"
    } 2>/dev/null
    petasos_fell=- petasos_fresh=0 petasos_at=$PWD
  else
    petasos_fresh=1
  fi
fi

# Aliases are for the user's text alone. A function that stands for a builtin is as well.
\builtin shopt -q expand_aliases
petasos_aliases=$?
\builtin shopt -u expand_aliases

# Called once, with tracing kept from the user's eyes by whoever calls it. Returns the status that the command has left.
petasos_save() {
  petasos_last=$? petasos_flags=$-
  [ "$BASH_SUBSHELL$petasos_saved" = 00 ] || return "$petasos_last"
  petasos_saved=1 petasos_changed=0
  # Emptying a file first may make the file system write it out: the end of what counts is marked instead. A shell writes line by
  # line: what is as a new shell has it is not said.
  [ "$SHELLOPTS" = "$petasos_set" ] || {
    petasos_changed=1
    builtin set +o
    builtin echo return
  } 1<>"$petasos_session/options.$petasos_slot"
  builtin set +euxvfC
  {
    [ "${BASHOPTS-}" = "$petasos_shopt" ] || builtin shopt -p
    builtin declare -f
    builtin export -fp
    builtin declare -p
    builtin echo unalias -a
    builtin alias -p
    builtin umask -p
    builtin echo return
  } 1<>"$petasos_session/state.$petasos_slot"
  petasos_encode "$PWD"
  builtin printf '%s %s %s %s\n' "$petasos_number" "$petasos_fresh" "$petasos_fell" "$petasos_at" 1<>"$petasos_session/note.$petasos_slot"
  return "$petasos_last"
}
petasos_encode() {
  petasos_at=${1//\\/\\\\}
  petasos_at=${petasos_at//$'\n'/\\n}
  petasos_at=${petasos_at// /\\s}
}
# The next command begins with the options and the status of the one before; under errexit it would end with that status.
petasos_resume() {
  [ "$petasos_changed" = 0 ] || builtin . "$petasos_options"
  case $- in *e*) ;; *) builtin return "$petasos_last" ;; esac
}

if [ -n "$2" ]; then
  builtin export PETASOS_EXEC=$petasos_exec
  petasos_before=$OLDPWD
  until builtin cd -- "$petasos_at" 2>/dev/null; do
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
builtin trap '{ petasos_save; } 2>/dev/null' EXIT
petasos_options=$1/options.$2
if [ $# -ge 7 ]; then builtin set -- "$7"; else
  builtin set -- "$(command cat <&3; builtin echo x)"
  builtin exec 3<&-
  builtin set -- "${1%x}"
fi
[ "$petasos_aliases" != 0 ] || builtin shopt -s expand_aliases
\builtin eval "\\builtin set --;petasos_resume 2>/dev/null;$1"
{ petasos_save; } 2>/dev/null
