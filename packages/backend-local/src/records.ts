import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { type CreateSpec, type HostInfo, PetasosError, type SandboxRef } from '@petasos/core/backend';
import type { LocalOptions } from './options.js';

/** What is remembered of a sandbox: the place itself has no memory of its own. */
export interface SandboxRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly workdir: string;
  readonly labels: Readonly<Record<string, string>>;
}

export function stateDirectory(options: LocalOptions, env: HostInfo['env']): string {
  if (options.stateDirectory) return options.stateDirectory;
  return path.join(env.XDG_STATE_HOME || path.join(env.HOME || homedir(), '.local', 'state'), 'petasos', 'local');
}

const recordFile = 'sandbox.json';

/** @throws `sandbox-exists` when the name is taken, also by a process that takes it at this moment. */
export async function createRecord(directory: string, spec: CreateSpec, workdir: string): Promise<SandboxRecord> {
  const record: SandboxRecord = {
    id: randomBytes(16).toString('hex'),
    name: spec.name,
    createdAt: new Date().toISOString(),
    workdir,
    labels: spec.labels,
  };
  // A directory that appears whole, by rename, is never seen half made, and only one of two can win.
  const draft = path.join(directory, `.${spec.name}.${record.id}`);
  await mkdir(path.join(draft, 'run'), { recursive: true, mode: 0o700 });
  await writeFile(path.join(draft, recordFile), `${JSON.stringify(record)}\n`, { mode: 0o600 });
  try {
    await rename(draft, path.join(directory, spec.name));
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') {
      throw new PetasosError('sandbox-exists', `local already has a sandbox named ${spec.name}`, { backend: 'local', operation: 'create' });
    }
    throw error;
  }
  return record;
}

export async function readRecord(directory: string, name: string): Promise<SandboxRecord | undefined> {
  let text: string;
  try {
    text = await readFile(path.join(directory, name, recordFile), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as SandboxRecord;
  } catch (cause) {
    throw new PetasosError(
      'place-failed',
      `the record of the local sandbox ${name} is damaged: ${path.join(directory, name, recordFile)}`,
      {
        backend: 'local',
        operation: 'attach',
        remedy: `Remove ${path.join(directory, name)} if nothing of it is needed.`,
        cause,
      },
    );
  }
}

export async function listRecords(directory: string): Promise<SandboxRecord[]> {
  let names: string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const records = await Promise.all(names.filter((name) => !name.startsWith('.')).map((name) => readRecord(directory, name)));
  return records.filter((record) => record !== undefined);
}

/**
 * Takes the sandbox off the list, before its processes are ended: whoever still holds it sees that it is gone. Undefined when there is
 * no such sandbox (any more).
 */
export async function retireRecord(directory: string, ref: SandboxRef): Promise<string | undefined> {
  const retired = path.join(directory, `.gone.${ref.name}.${ref.id}`);
  const record = await readRecord(directory, ref.name);
  if (record?.id === ref.id) await rename(path.join(directory, ref.name), retired).catch(ignoreMissing);
  return (await stat(retired).catch(ignoreMissing)) ? retired : undefined;
}

export async function removeRetired(retired: string): Promise<void> {
  await rm(retired, { recursive: true, force: true, maxRetries: 3 });
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}

/** Where the engine keeps its own files of this sandbox. */
export function scratchOf(directory: string, name: string): string {
  return path.join(directory, name, 'run');
}
