import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { until } from './poll.js';
import { isAlive, type ProcessRecord, recordOf } from './processes.js';

/** Runs `action` while no other process holds `file`. A lock whose holder is dead is taken over. */
export async function locked<T>(file: string, action: () => Promise<T>, timeoutMs = 300_000): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  const mine = JSON.stringify(recordOf('lock', process.pid));
  await until(`the lock ${file}`, () => take(file, mine), { timeoutMs, everyMs: 100 });
  try {
    return await action();
  } finally {
    await rm(file, { force: true });
  }
}

async function take(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const text = await readFile(file, 'utf8').catch(() => '');
  // An empty file is one whose holder is between creating and writing it.
  if (text !== '' && !isAlive(JSON.parse(text) as ProcessRecord)) await rm(file, { force: true });
  return false;
}
