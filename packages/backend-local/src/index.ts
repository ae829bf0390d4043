import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, stat } from 'node:fs/promises';
import { type CheckFinding, defineBackend, endProcessesArguments, PetasosError, type SandboxRef } from '@petasos/core/backend';
import { createDriver } from './driver.js';
import { type LocalOptions, optionsSchema } from './options.js';
import { createRecord, listRecords, readRecord, removeRetired, retireRecord, stateDirectory } from './records.js';
import { terminalAvailable } from './terminal.js';

export type { LocalOptions } from './options.js';

/** Commands run on this machine, as this user, without isolation. Linux and macOS. */
const local = defineBackend<LocalOptions>({
  name: 'local',
  contract: 1,
  traits: {
    title: 'This machine',
    isolation: 'none',
    startup: '< 10 ms',
    cost: 'free',
    persistence: 'your disk',
    goodFor: 'one developer on a machine that may be lost; approvals stay on',
    suits: ['unguarded'],
  },
  capabilities: () => ({
    stdin: 'stream',
    streams: 'separate',
    bytes: 'bytes',
    terminal: terminalAvailable(),
    files: 'derived',
    pause: false,
    snapshot: false,
    reattach: true,
    forward: 'tcp',
    network: ['open'],
    limits: [],
    gpu: false,
    idleStop: false,
    persistent: true,
    root: process.getuid?.() === 0,
  }),
  options: optionsSchema,
  secrets: [],

  async check(options, host) {
    if (host.platform === 'win32') return [windows()];
    const findings: CheckFinding[] = [{ id: 'local.platform', status: 'ok', message: `${host.platform} runs commands directly` }];
    const directory = stateDirectory(options, host.env);
    findings.push(await writable(directory));
    findings.push(
      terminalAvailable()
        ? { id: 'local.terminal', status: 'ok', message: 'interactive terminals work' }
        : {
            id: 'local.terminal',
            status: 'warning',
            message: 'the optional terminal package has no build for this platform',
            remedy: 'Use petasos shell --plain, or install @lydell/node-pty.',
          },
    );
    return findings;
  },

  async create(options, spec) {
    if (spec.from !== undefined)
      throw new PetasosError('unsupported', 'local does not support snapshot', {
        backend: 'local',
        operation: 'create',
        data: { capability: 'snapshot' },
      });
    refuseWindows();
    const workdir = spec.workdir ?? options.workdir ?? process.cwd();
    await requireDirectory(workdir);
    const directory = stateDirectory(options, spec.hostEnv);
    return createDriver(await createRecord(directory, spec, workdir), directory, spec.hostEnv);
  },

  async attach(options, ref, context) {
    refuseWindows();
    const directory = stateDirectory(options, context.hostEnv);
    const record = await readRecord(directory, ref.name);
    if (!record || record.id !== ref.id) {
      throw new PetasosError('sandbox-not-found', `local has no sandbox ${ref.name}`, { backend: 'local', operation: 'attach' });
    }
    return createDriver(record, directory, context.hostEnv);
  },

  async find(options, name, host) {
    const record = await readRecord(stateDirectory(options, host.env), name);
    return record && refOf(record);
  },

  async list(options, host) {
    const records = await listRecords(stateDirectory(options, host.env));
    return records.map((record) => ({
      ref: refOf(record),
      state: 'running' as const,
      createdAt: new Date(record.createdAt),
      owner: record.labels['petasos.owner'] ?? '',
      labels: record.labels,
    }));
  },

  async destroy(options, ref, host) {
    const retired = await retireRecord(stateDirectory(options, host.env), ref);
    await endProcesses(ref.id);
    if (retired) await removeRetired(retired);
  },
});

function refOf(record: { id: string; name: string }): SandboxRef {
  return { backend: 'local', id: record.id, name: record.name };
}

/** Jobs and left-over children belong to the sandbox: they end with it. */
async function endProcesses(id: string): Promise<void> {
  const [program, ...args] = endProcessesArguments(id, 200);
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  await once(child, 'exit');
}

async function requireDirectory(workdir: string): Promise<void> {
  const info = await stat(workdir).catch(() => undefined);
  if (info?.isDirectory()) return;
  throw new PetasosError('cwd-not-found', `the directory ${workdir} does not exist on this machine`, {
    backend: 'local',
    operation: 'create',
    data: { cwd: workdir },
    remedy: 'Create it or choose another workdir.',
  });
}

async function writable(directory: string): Promise<CheckFinding> {
  let existing = directory;
  while (existing !== '/' && !(await stat(existing).catch(() => undefined))) existing = existing.slice(0, existing.lastIndexOf('/')) || '/';
  try {
    await access(existing, constants.W_OK);
    return { id: 'local.state', status: 'ok', message: `records go to ${directory}` };
  } catch {
    return {
      id: 'local.state',
      status: 'failed',
      message: `${existing} is not writable, so no sandbox can be recorded`,
      remedy: 'Set XDG_STATE_HOME to a directory of yours.',
    };
  }
}

function windows(): CheckFinding {
  return {
    id: 'local.platform',
    status: 'failed',
    message: 'local needs a POSIX system; Windows is not supported',
    remedy: 'Use the docker backend, or run Petasos inside WSL.',
  };
}

function refuseWindows(): void {
  if (process.platform !== 'win32') return;
  throw new PetasosError('unavailable', windows().message, { backend: 'local', operation: 'open', remedy: windows().remedy });
}

export default local;
