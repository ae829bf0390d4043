/** `12s`, `5m`, `3h`, `2d`: coarse on purpose, for tables. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** `1s`, `1.5s`, `2m 5s`: for sentences. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))}s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms % 60_000) / 1000);
  return seconds === 0 ? `${minutes}m` : `${minutes}m ${seconds}s`;
}

const shortLength = 12;

/** The beginning of a long id: as much as a table has room for, and enough to name it. */
export function shortId(id: string): string {
  return id.length > 32 ? id.slice(0, shortLength) : id;
}

/** Whether the word is what {@link shortId} shows of the id, or more of it. */
export function isShortId(word: string, id: string): boolean {
  return word.length >= shortLength && id.startsWith(word);
}
