import { constants } from 'node:os';

/** Linux numbers; the low ones, which matter here, are the same on every POSIX system. */
const numbers: Readonly<Record<string, number>> = constants.signals;
const names = new Map(Object.entries(constants.signals).map(([name, number]) => [number as number, name]));

/**
 * What a shell's status says. Shells report a death by signal as 128 plus its number, and so does a program that exits with such a
 * status: `bySignal` is what the shell said besides. About SIGINT shells say nothing; then `sent` decides, a signal that was ours.
 */
export function readStatus(
  status: number,
  bySignal: boolean,
  sent: string | undefined,
): { readonly ended: 'exited' | 'signaled'; readonly exitCode: number | null; readonly signal: string | null } {
  const ours = sent !== undefined && status === 128 + (numbers[sent] ?? Number.NaN);
  if (bySignal || ours) return { ended: 'signaled', exitCode: null, signal: signalName(status - 128) };
  return { ended: 'exited', exitCode: status, signal: null };
}

/** Name of a signal number, such as `SIGKILL`. */
function signalName(number: number): string {
  return names.get(number) ?? `SIG${number}`;
}
