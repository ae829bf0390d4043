import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { clearDirectory } from './directory.js';
import { locked } from './lock.js';
import { installMissing } from './packages.js';
import { cacheDirectory, runtimeDirectory } from './paths.js';
import { endTree, isAlive } from './processes.js';
import { isServiceName, type ServiceInfos, type ServiceName, serviceNames, services } from './services.js';
import { type RunningService, readState, stateLock, writeState } from './state.js';

export type Log = (line: string) => void;

const toStderr: Log = (line) => console.error(`testbed: ${line}`);

/**
 * Makes sure that a service runs and answers, and says how to reach it. It is left running for the next test, until
 * {@link down}.
 */
export async function need<Name extends ServiceName>(name: Name, log: Log = toStderr): Promise<ServiceInfos[Name]> {
  return (await up(name, log)).info;
}

/** Like {@link need}, and tells whether the service was started by this call. */
export function up<Name extends ServiceName>(
  name: Name,
  log: Log = toStderr,
): Promise<{ readonly info: ServiceInfos[Name]; readonly started: boolean }> {
  return locked(stateLock, async () => {
    const state = await readState();
    const running = state.find((entry) => entry.name === name);
    if (running !== undefined) {
      if (await answers(name, running)) return { info: running.info as ServiceInfos[Name], started: false };
      log(`${name} does not answer any more; starting it anew`);
      await stop(name, running);
    }
    const others = state.filter((entry) => entry.name !== name);
    await writeState(others);
    const { entry, info } = await start(name, log);
    await writeState([...others, entry]);
    return { info, started: true };
  });
}

/** Stops what {@link up} started; without names, all of it. Returns the names of what was stopped. */
export function down(names: readonly ServiceName[] = serviceNames): Promise<readonly ServiceName[]> {
  return locked(stateLock, async () => {
    let state = await readState();
    const stopped: ServiceName[] = [];
    for (const entry of state) {
      if (!isServiceName(entry.name) || !names.includes(entry.name)) continue;
      await stop(entry.name, entry);
      stopped.push(entry.name);
      state = state.filter((other) => other !== entry);
      await writeState(state);
    }
    return stopped;
  });
}

export interface ServiceStatus {
  readonly name: ServiceName;
  readonly state: 'answers' | 'silent' | 'not started';
  readonly processes: readonly { readonly name: string; readonly pid: number; readonly alive: boolean }[];
  readonly info: unknown;
}

export async function status(): Promise<readonly ServiceStatus[]> {
  const state = await readState();
  return Promise.all(
    serviceNames.map(async (name): Promise<ServiceStatus> => {
      const entry = state.find((running) => running.name === name);
      if (entry === undefined) return { name, state: 'not started', processes: [], info: undefined };
      const processes = entry.processes.map((record) => ({ name: record.name, pid: record.pid, alive: isAlive(record) }));
      return { name, state: (await answers(name, entry)) ? 'answers' : 'silent', processes, info: entry.info };
    }),
  );
}

async function start<Name extends ServiceName>(name: Name, log: Log): Promise<{ entry: RunningService; info: ServiceInfos[Name] }> {
  const service = services[name];
  const directory = join(runtimeDirectory, name);
  const began = performance.now();
  await installMissing(service.needs(), log);
  await clearDirectory(directory);
  await mkdir(directory, { recursive: true, mode: 0o711 });
  await mkdir(cacheDirectory, { recursive: true });
  try {
    const { info, processes } = await service.start({ directory, cache: cacheDirectory, log: (line) => log(`${name}: ${line}`) });
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    log(`started ${name} in ${seconds} s: ${processes.map((record) => `${record.name} (pid ${record.pid})`).join(', ') || 'it was there'}`);
    return { entry: { name, info, processes, directory }, info };
  } catch (error) {
    await clearDirectory(directory);
    throw error;
  }
}

async function answers<Name extends ServiceName>(name: Name, entry: RunningService): Promise<boolean> {
  if (!entry.processes.every(isAlive)) return false;
  return services[name].probe(entry.info as ServiceInfos[Name]).then(
    () => true,
    () => false,
  );
}

async function stop<Name extends ServiceName>(name: Name, entry: RunningService): Promise<void> {
  await services[name].beforeStop?.(entry.info as ServiceInfos[Name]).catch(() => {});
  for (const record of [...entry.processes].reverse()) await endTree(record);
  await clearDirectory(entry.directory);
  await services[name].clean?.(entry.info as ServiceInfos[Name]);
  // Another service's folder may still be in it.
  await rmdir(runtimeDirectory).catch(() => {});
}
