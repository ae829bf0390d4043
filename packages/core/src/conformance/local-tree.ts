import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, readlink, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** An entry of a tree to make: a file's content, a symlink's target, or a directory. */
export type TreeEntry =
  | { readonly path: string; readonly content: string | Uint8Array; readonly mode?: number; readonly modifiedAt?: Date }
  | { readonly path: string; readonly target: string }
  | { readonly path: string; readonly directory: true; readonly mode?: number };

/** Makes entries below `root` on this machine. Modes of directories come last, so that a read-only one can be filled. */
export async function makeTree(root: string, entries: readonly TreeEntry[]): Promise<void> {
  for (const entry of entries) {
    const path = join(root, entry.path);
    await mkdir('directory' in entry ? path : dirname(path), { recursive: true });
    if ('target' in entry) await symlink(entry.target, path);
    if ('content' in entry) {
      await writeFile(path, entry.content);
      await chmod(path, entry.mode ?? 0o644);
      if (entry.modifiedAt) await utimes(path, entry.modifiedAt, entry.modifiedAt);
    }
  }
  for (const entry of entries) if ('directory' in entry) await chmod(join(root, entry.path), entry.mode ?? 0o755);
}

/**
 * One line an entry below `root` on this machine: kind, mode, whole seconds of a file's time, size and SHA-256 or the
 * link's target. Equal lists are equal trees.
 */
export async function describeTree(root: string, below = ''): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const name of (await readdir(join(root, below))).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    const info = await lstat(join(root, path));
    const mode = (info.mode & 0o7777).toString(8);
    const shown = JSON.stringify(path);
    if (info.isSymbolicLink()) lines.push(`${shown} symlink ${JSON.stringify(await readlink(join(root, path)))}`);
    else if (info.isDirectory()) lines.push(`${shown} directory ${mode}`, ...(await describeTree(root, path)));
    else if (info.isFile())
      lines.push(`${shown} file ${mode} ${Math.floor(info.mtimeMs / 1000)} ${info.size} ${await digest(join(root, path))}`);
    else lines.push(`${shown} other`);
  }
  return lines;
}

/** Makes every directory writable again, so that the tree can be removed. */
export async function makeRemovable(root: string): Promise<void> {
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeRemovable(join(root, entry.name));
  }
}

async function digest(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
    .slice(0, 16);
}
