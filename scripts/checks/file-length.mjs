import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFiles, root } from '../run.mjs';

const maxLines = 400;
const code = /\.(ts|mts|cts|js|mjs|cjs|sh)$/;

/** A reader finds the room by its name only while the rooms are small. */
export async function fileLength() {
  const long = [];
  for (const path of await repositoryFiles()) {
    if (!code.test(path) || !existsSync(join(root, path))) continue;
    const lines = readFileSync(join(root, path), 'utf8').split('\n').length - 1;
    if (lines > maxLines) long.push(`${path} has ${lines} lines; ${maxLines} at most`);
  }
  return long;
}
