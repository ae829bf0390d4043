/** The longest that a timer of Node can wait, about 25 days; one that is to wait for longer fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** `ms` as far as one timer reaches. Whoever may have to wait for longer asks the clock when it fires. */
export function timerMs(ms: number): number {
  return Math.max(0, Math.min(ms, longestTimerMs));
}
