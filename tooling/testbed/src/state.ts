import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stateDirectory } from './paths.js';
import type { ProcessRecord } from './processes.js';

/** One service that the testbed started and has not stopped. */
export interface RunningService {
  readonly name: string;
  readonly info: unknown;
  readonly processes: readonly ProcessRecord[];
  readonly directory: string;
}

const file = join(stateDirectory, 'state.json');

/** Held while the state is read and written. */
export const stateLock = join(stateDirectory, 'lock');

export async function readState(): Promise<readonly RunningService[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as RunningService[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export async function writeState(services: readonly RunningService[]): Promise<void> {
  await mkdir(stateDirectory, { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(services, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
