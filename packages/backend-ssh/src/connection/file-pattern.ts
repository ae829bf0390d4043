import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Whether `name` fits `pattern`, in which `*` stands for any characters and `?` for one. */
export function fits(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(name);
}

/** The files that an absolute pattern means, in order; hidden ones only where the pattern begins with a dot. */
export async function filesMatching(pattern: string): Promise<readonly string[]> {
  let found = ['/'];
  for (const part of pattern.split('/').filter((one) => one !== '')) {
    const next = await Promise.all(found.map((directory) => below(directory, part)));
    found = next.flat();
  }
  const files = await Promise.all(found.map(async (file) => ((await stat(file).catch(() => undefined))?.isFile() ? [file] : [])));
  return files.flat();
}

async function below(directory: string, part: string): Promise<string[]> {
  if (!/[*?]/.test(part)) return [path.join(directory, part)];
  const names = await readdir(directory).catch(() => []);
  const shown = names.filter((name) => fits(part, name) && (part.startsWith('.') || !name.startsWith('.')));
  return shown.sort().map((name) => path.join(directory, name));
}
