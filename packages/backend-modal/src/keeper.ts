/**
 * The sandbox's first process; the sandbox ends with it. It looks for lanes and jobs, by a word in their arguments, and leaves
 * when there have been none for the idle limit. Modal's own idle timeout does not know of jobs, which are nobody's exec.
 *
 * $1 idle limit and $2 pause between two looks, in milliseconds; $3 the pause in seconds.
 */
const script = `idle=0
trap 'exit 0' TERM INT
while [ "$idle" -lt "$1" ]; do
  { sleep "$3" 2>/dev/null || sleep 1; } & wait "$!"
  if grep -l 'petasos-[lj][ao][nb]' /proc/[0-9]*/cmdline >/dev/null 2>&1; then idle=0; else idle=$((idle + $2)); fi
done`;

const shortestPauseMs = 250;
const longestPauseMs = 10_000;

export function keeperCommand(idleLimitMs: number): string[] {
  const wanted = Math.min(longestPauseMs, Math.max(shortestPauseMs, idleLimitMs / 20));
  // Some shells' sleep takes whole seconds only.
  const pause = wanted < 1000 ? Math.round(wanted) : Math.round(wanted / 1000) * 1000;
  return ['/bin/sh', '-c', script, 'petasos-keeper', String(Math.max(pause, Math.round(idleLimitMs))), String(pause), String(pause / 1000)];
}
