import type { ChildProcess } from 'node:child_process';
import type { Backend, Gate, LimitKind, NetworkMode } from '../contract/index.js';
import type { OpenOptions, Sandbox } from '../sandbox/types.js';
import type { ClientTask } from './client-task.js';

/** How a sandbox is opened; the default is core's `open`. */
export type OpenSandbox = (backend: Backend, options: OpenOptions) => Promise<Sandbox>;

/** What the suite runs against. */
export interface Subject<Options = unknown> {
  readonly backend: Backend<Options>;
  /** The backend's own options, as a user would give them. */
  readonly options?: unknown;
  readonly open?: OpenSandbox | undefined;
  /** Environment that Petasos is told it runs in; default `process.env`. Scenarios add variables of their own to it. */
  readonly hostEnv?: Readonly<Record<string, string | undefined>> | undefined;
  readonly faults?: Faults | undefined;
  /**
   * Options that put a declared mode in force where {@link options} do not. What is declared must be proven: a declared
   * mode that neither chooses fails.
   */
  readonly modes?: Readonly<Partial<Record<Mode, unknown>>> | undefined;
  /**
   * Size of the file that is moved both ways with bounded memory; default 64. Twice the bound on memory tells a stream
   * from a buffer, and a benchmark moves the full gigabyte: a suite that takes minutes is not run.
   */
  readonly largeFileMiB?: number | undefined;
  /**
   * Starts another client: a process that calls `runClient(subject, task)` with a subject equal to this one. Its stdin
   * and stdout are pipes.
   */
  readonly spawnClient?: ((task: ClientTask) => ChildProcess) | undefined;
}

/** A mode that excludes others, or that costs something. */
export type Mode = `network.${Exclude<NetworkMode, 'open'>}` | `limits.${LimitKind}`;

/** Faults on demand. A scenario whose hook is absent counts as not declared. */
export interface Faults {
  /** Ends the connection that carries the sandbox's commands; the place itself lives on. */
  readonly cutConnection?: ((sandbox: Sandbox) => Promise<void>) | undefined;
  /** Ends the place behind the client's back. */
  readonly killPlace?: ((sandbox: Sandbox) => Promise<void>) | undefined;
  /** Freezes the place behind the client's back; the returned function lets it go on. */
  readonly pausePlace?: ((sandbox: Sandbox) => Promise<() => Promise<void>>) | undefined;
  /** Delays everything on the way by `ms`; the returned function ends that. */
  readonly delay?: ((sandbox: Sandbox, ms: number) => Promise<() => Promise<void>>) | undefined;
  /** Makes a directory on the target whose file system has room for a few bytes only. */
  readonly fullDirectory?: ((sandbox: Sandbox) => Promise<FullDirectory>) | undefined;
}

export interface FullDirectory {
  readonly path: string;
  /** More than this many bytes do not fit. */
  readonly bytes: number;
  release(): Promise<void>;
}

/** A subject of any backend, as the suite holds it: options are checked by the backend's own schema. */
export function defineSubject<Options>(subject: Subject<Options>): Subject {
  return subject as Subject;
}

/** A fault hook, or the hook that starts another client. */
export type Hook = keyof Faults | 'spawnClient';

export function hasHook(subject: Subject, hook: Hook): boolean {
  return hook === 'spawnClient' ? subject.spawnClient !== undefined : subject.faults?.[hook] !== undefined;
}

/** Admits everything: the suite proves places, not policies. */
export const passThrough: Gate = {
  admit: async () => ({ ended() {} }),
};
