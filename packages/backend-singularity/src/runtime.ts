import type { AskSecret, DriverPlacement, DriverProcess, Progress, SandboxState } from '@petasos/core/backend';
import { failure } from './errors.js';
import { collect, type Machine, type Ran } from './machine/machine.js';
import type { Found, SandboxRecord } from './records.js';

export interface StartContext {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
  readonly askSecret?: AskSecret | undefined;
}

/** Where the instances of sandboxes run, and how they are reached: this machine, or nodes that a scheduler gives. */
export interface Runtime {
  /** Makes sure that the sandbox's instance runs; of several that try, one starts it. */
  start(record: SandboxRecord, context: StartContext): Promise<void>;
  /** Of sandboxes that were just looked up. */
  states(found: readonly Found[]): Promise<readonly SandboxState[]>;
  /** Throws unless the sandbox can run a command now. */
  require(record: SandboxRecord): Promise<void>;
  /** Whether the sandbox is still there, asked while a command runs: cheap, and within two seconds. */
  state(record: SandboxRecord): Promise<SandboxState>;
  /** Starts a process inside; throws unless the sandbox can run one now. */
  spawn(record: SandboxRecord, argv: readonly string[], stdin: boolean): Promise<DriverProcess>;
  /** The machine that the instance runs on. */
  node(record: SandboxRecord): Promise<Machine>;
  /** What is in force there, on top of what the container is. */
  placement(record: SandboxRecord): Promise<Partial<DriverPlacement>>;
}

/** Words before a command line that is to run inside. */
export function execWords(program: string, instance: string): readonly string[] {
  return [program, '-q', 'exec', '--cleanenv', '--pwd', '/', `instance://${instance}`];
}

export async function runInside(runtime: Runtime, record: SandboxRecord, argv: readonly string[]): Promise<Ran> {
  return collect(await runtime.spawn(record, argv, false), { timeoutMs: 20_000 });
}

/** What a sandbox that was just made lacks, and what it has too much: temporary files that came with an overlay. */
export async function prepareInside(runtime: Runtime, record: SandboxRecord, home: string, copied: boolean): Promise<void> {
  if (copied && record.settings.overlayMiB > 0 && record.settings.containall) await runInside(runtime, record, ['/bin/sh', '-c', clear]);
  await makeWorkdir(runtime, record, home);
}

const clear = 'cd /tmp && rm -rf ./* ./.[!.]* ./..?*; cd /var/tmp && rm -rf ./* ./.[!.]* ./..?*';

/** A directory where commands start need not be in the image. */
async function makeWorkdir(runtime: Runtime, record: SandboxRecord, home: string): Promise<void> {
  if (record.workdir === home || record.workdir === '/') return;
  const { exitCode } = await runInside(runtime, record, ['mkdir', '-p', '--', record.workdir]);
  if (exitCode === 0) return;
  throw failure('cwd-not-found', `the directory ${record.workdir} cannot be made in the sandbox ${record.name}`, {
    operation: 'create',
    data: { cwd: record.workdir },
    remedy: 'Choose another workdir, or one that the image has.',
  });
}
