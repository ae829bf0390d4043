import { truncateSync, writeFileSync } from 'node:fs';

/** Makes a file so large that no transfer of it is over before its first progress is told, and of which the disk holds nothing. */
export function writeEndless(path: string): void {
  writeFileSync(path, '');
  truncateSync(path, 2 ** 30);
}
