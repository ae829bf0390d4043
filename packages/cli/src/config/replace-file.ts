import { randomBytes } from 'node:crypto';
import { chmod, mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configError } from './config-error.js';

/**
 * Whole or not at all. A link (as dotfile managers make) stays a link: what it leads to is replaced.
 * @param mode the file's permissions afterwards; absent: as they are, and its owner's alone for a new file
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const temporary = join(dirname(target), `.config-${randomBytes(6).toString('hex')}.tmp`);
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const before = await stat(target).then(
      (info) => info.mode & 0o777,
      () => 0o600,
    );
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await chmod(temporary, mode ?? before);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw configError(
      `${path}: cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      'Check who owns it and whether the disk is full.',
      error,
    );
  }
}
