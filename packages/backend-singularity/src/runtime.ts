import type { AskSecret, DriverPlacement, DriverProcess, Progress, SandboxState } from '@petasos/core/backend';
import { failure } from './errors.js';
import type { Machine } from './machine/machine.js';
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
  /** Starts a process inside. */
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

/** A directory where commands start need not be in the image. */
export async function makeWorkdir(runtime: Runtime, record: SandboxRecord, home: string): Promise<void> {
  if (record.workdir === home || record.workdir === '/') return;
  const process = await runtime.spawn(record, ['mkdir', '-p', '--', record.workdir], false);
  process.stdout.resume();
  process.stderr?.resume();
  const { exitCode } = await process.exited;
  if (exitCode === 0) return;
  throw failure('cwd-not-found', `the directory ${record.workdir} cannot be made in the sandbox ${record.name}`, {
    operation: 'create',
    data: { cwd: record.workdir },
    remedy: 'Choose another workdir, or one that the image has.',
  });
}
