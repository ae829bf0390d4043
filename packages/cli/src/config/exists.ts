import { stat } from 'node:fs/promises';

/** Anything but a plain "not there" counts as there, so that reading it says what is wrong. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')),
  );
}
