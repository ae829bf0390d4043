import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { requireProgram } from './command.js';
import { until } from './poll.js';

/** One process that was started here. A pid alone is reused by the system; with its start time it is one process for ever. */
export interface ProcessRecord {
  readonly name: string;
  readonly pid: number;
  readonly startedAt: string;
}

/** Start of a process in whatever unit the system gives, or undefined when there is no such process (a zombie counts as none). */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
    // The second field is the name in parentheses and may hold anything; the fields after it are plain.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

export function isAlive(record: ProcessRecord): boolean {
  return startOf(record.pid) === record.startedAt;
}

export function recordOf(name: string, pid: number): ProcessRecord {
  const startedAt = startOf(pid);
  if (startedAt === undefined) throw new Error(`${name} ended at once`);
  return { name, pid, startedAt };
}

export interface DaemonOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Both streams are appended here; its end is in the error when the daemon fails. */
  readonly logFile: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a process in its own session, so that it outlives this one. */
export async function startDaemon({ name, program, args, logFile, env }: DaemonOptions): Promise<ProcessRecord> {
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(requireProgram(program), args, { detached: true, stdio: ['ignore', log, log], env: env ?? process.env });
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(child.pid ?? 0));
    });
    child.unref();
    return recordOf(name, pid);
  } finally {
    closeSync(log);
  }
}

/** Waits until `ask` succeeds; gives up as soon as the daemon is dead. */
export async function untilAnswers(daemon: ProcessRecord, logFile: string, ask: () => Promise<unknown>, timeoutMs = 60_000): Promise<void> {
  let alive = true;
  try {
    await until(
      `${daemon.name} answers`,
      async () => {
        alive = isAlive(daemon);
        if (!alive) return true;
        await ask();
        return true;
      },
      { timeoutMs },
    );
  } catch (cause) {
    throw new Error(`${daemon.name} does not answer. Its log ends with:\n${tail(logFile)}`, { cause });
  }
  if (!alive) throw new Error(`${daemon.name} ended while it was starting. Its log ends with:\n${tail(logFile)}`);
}

/** TERM, then KILL after `graceMs`. Resolves when the process is gone. Does nothing to a process that is not this one. */
async function endProcess(record: ProcessRecord, graceMs = 10_000): Promise<void> {
  const gone = () => !isAlive(record);
  if (gone()) return;
  signal(record, 'SIGTERM');
  try {
    await until(`${record.name} ends`, gone, { timeoutMs: graceMs });
  } catch {
    signal(record, 'SIGKILL');
    await until(`${record.name} ends after SIGKILL`, gone, { timeoutMs: 10_000 });
  }
}

function signal(record: ProcessRecord, name: NodeJS.Signals): void {
  if (!isAlive(record)) return;
  try {
    process.kill(record.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Ends a process, and then whatever descended from it and outlived it. */
export async function endTree(record: ProcessRecord, graceMs?: number): Promise<void> {
  const descendants = isAlive(record) ? descendantsOf(record.pid) : [];
  await endProcess(record, graceMs);
  for (const descendant of descendants) await endProcess(descendant, 1_000);
}

function descendantsOf(pid: number): ProcessRecord[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const parents = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found: number[] = [];
  for (let generation = [pid]; generation.length > 0; ) {
    const next = parents.flatMap(([child = 0, parent = 0]) => (generation.includes(parent) ? [child] : []));
    found.push(...next);
    generation = next;
  }
  return found.flatMap((child) => {
    const startedAt = startOf(child);
    return startedAt === undefined ? [] : [{ name: `descendant of ${pid}`, pid: child, startedAt }];
  });
}

/**
 * Processes whose name matches and whose command line holds `text`: a private path in it shows whose they are. Linux only;
 * elsewhere none.
 */
export function processesOn(text: string, names: RegExp): ProcessRecord[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const name = readFileSync(`/proc/${entry}/comm`, 'utf8').trim();
        return names.test(name) && readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(text) ? [recordOf(name, Number(entry))] : [];
      } catch {
        // It ended meanwhile.
        return [];
      }
    });
}

function tail(file: string, lines = 15): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '(no log)';
  }
}
