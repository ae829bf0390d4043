/** Quotes one word for a POSIX shell. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Defines `nap`: a short sleep, also where `sleep` knows whole seconds only. */
export const nap = 'nap() { sleep 0.2 2>/dev/null || sleep 1; }';

/** Defines `apart`: runs its arguments in a session of its own where the place can, else in its own process group. */
export const apart = 'apart() { if command -v setsid >/dev/null 2>&1; then setsid "$@"; else (set -m; "$@" & wait); fi; }';

/** A word in the environment of everything that the command starts. */
export const mark = (marker: string) => `PETASOS_MARK=${marker}; export PETASOS_MARK`;

/** A program that goes on for a minute, with the marker in its arguments, and dies of any signal. */
export const lasting = (marker: string) => `sh -c 'sleep 60; :' ${marker}`;

/** The same, deaf to everything but KILL. */
export const stubborn = (marker: string) => `sh -c 'trap "" TERM INT HUP; while :; do sleep 60; done' ${marker}`;

/** A program that does nothing for a minute, in one process, with the marker in its environment; takes no quotes. */
export const asleep = (marker: string) => `env PETASOS_MARK=${marker} sleep 60`;

/** Waits for a file and takes it away: a command that a scenario lets go on, instead of one that sleeps for a guessed time. */
export const held = (path: string) => `until [ -e ${path} ]; do sleep 0.1 2>/dev/null || sleep 1; done; rm -f ${path}`;

/** Defines `unhung`: runs a command as nohup does, also where that program is missing. */
export const unhung = `unhung() { if command -v nohup >/dev/null 2>&1; then nohup "$@"; else (trap '' HUP; exec "$@"); fi; }`;
