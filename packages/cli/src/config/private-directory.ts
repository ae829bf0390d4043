import { mkdir } from 'node:fs/promises';

/** A directory that only its owner enters, with its parents. */
export async function makePrivateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
}
