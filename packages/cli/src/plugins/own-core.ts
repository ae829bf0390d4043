import { realpathSync } from 'node:fs';
import { lstat, mkdir, readlink, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const name = '@petasos/core';

/**
 * Lets packages of the plugin directory find the core of this CLI, so that both speak of the same contract. Made again when the CLI has
 * moved.
 */
export async function linkCore(directory: string): Promise<void> {
  const target = realpathSync(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)));
  const link = join(directory, 'node_modules', name);
  if ((await readlink(link).catch(() => undefined)) === target) return;
  // A package may have brought a core as a dependency of its own: that is its business.
  const there = await lstat(link).catch(() => undefined);
  if (there !== undefined && !there.isSymbolicLink()) return;
  await rm(link, { force: true });
  await mkdir(dirname(link), { recursive: true });
  await symlink(target, link);
}
