import { constants } from 'node:os';

/** Linux numbers; the low ones, which matter here, are the same on every POSIX system. */
const names = new Map(Object.entries(constants.signals).map(([name, number]) => [number as number, name]));

/** Name of a signal number, such as `SIGKILL`. */
export function signalName(number: number): string {
  return names.get(number) ?? `SIG${number}`;
}
