# Starts a job in directory $1, which must not exist yet: asking twice for one job starts it once. stdin: the message on one
# line, then a description for readers. $2 is the supervisor's script; $3… are its arguments after directory, bash and setsid.
# $3 limit, $4 timeout, $5 grace, $6 mode, $7 patience, $8 "open" when the job's stdin stays open.
# Exits 6 when its directory cannot be made, 4 when the command's directory cannot be entered (word on stdout). What follows this
# script is run when the job runs, or has ended already.

umask 077
if ! { [ -d "${1%/*}" ] || mkdir -p -- "${1%/*}" 2>/dev/null; } || [ ! -O "${1%/*}" ]; then exit 6; fi
if mkdir -- "$1" 2>/dev/null; then
  IFS= read -r petasos_line || exit 6
  printf '%s\n' "$petasos_line" >"$1/message" || exit 6
  # Nobody lists a held command: only its client knows of it.
  if [ "$6" = hold ]; then :; else cat >"$1/about" || exit 6; fi
  if [ "$8" = open ]; then
    mkfifo -- "$1/in" || exit 6
    # A writer that waits keeps the pipe open between two writes; its end is the end of the input.
    (exec 9>"$1/in"; while [ -d "$1" ] && [ ! -e "$1/status" ]; do sleep 1 9>&-; done) </dev/null >/dev/null 2>&1 &
    printf '%s\n' "$!" >"$1/holder"
  fi
  petasos_bash=$(command -v bash 2>/dev/null)
  petasos_setsid=$(command -v setsid 2>/dev/null)
  unset PETASOS_EXEC
  if [ -n "$petasos_bash" ]; then
    # With job control a background command does not start with SIGINT ignored; only bash has it without a terminal.
    "$petasos_bash" --norc -c 'set -m; "$@" </dev/null >/dev/null 2>&1 &' petasos-start ${petasos_setsid:+"$petasos_setsid"} \
      "$petasos_bash" --norc -c "$2" petasos-job "$1" "$petasos_bash" "$petasos_setsid" "$3" "$4" "$5" "$6" "$7"
  else
    ${petasos_setsid:+"$petasos_setsid"} /bin/sh -c "$2" petasos-job "$1" '' "$petasos_setsid" "$3" "$4" "$5" "$6" "$7" </dev/null >/dev/null 2>&1 &
  fi
fi
petasos_tries=500
while [ "$petasos_tries" -gt 0 ] && [ ! -e "$1/running" ]; do
  if [ -s "$1/status" ]; then
    IFS= read -r petasos_line <"$1/status"
    case $petasos_line in
      C*)
        printf %s "${petasos_line#C }"
        rm -rf -- "$1"
        exit 4
        ;;
    esac
    break
  fi
  sleep 0.01 2>/dev/null || sleep 1
  petasos_tries=$((petasos_tries - 1))
done
[ -e "$1/running" ] || [ -s "$1/status" ] || exit 6
