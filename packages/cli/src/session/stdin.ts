import { fstatSync, statSync } from 'node:fs';

/** Whether there is anything to read on stdin. The null device and a closed stdin have nothing: no stream is set up for them. */
export function stdinHasInput(): boolean {
  try {
    const input = fstatSync(0);
    return !(input.isCharacterDevice() && input.rdev === statSync('/dev/null').rdev);
  } catch {
    return false;
  }
}
