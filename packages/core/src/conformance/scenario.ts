import type { Capabilities, Placement } from '../contract/index.js';
import type { OpenOptions, Sandbox } from '../sandbox/types.js';
import type { Client, ClientTask } from './client-task.js';
import type { Leftovers, RunState } from './run-state.js';
import type { Hook, Subject } from './subject.js';

/** The concerns in the order of a run. */
export const concerns = [
  'exec',
  'text',
  'streams',
  'stdin',
  'encoding',
  'memory',
  'cwd',
  'env',
  'secrets',
  'timeout',
  'abort',
  'kill',
  'background',
  'concurrency',
  'injection',
  'errors',
  'options',
  'shell',
  'jobs',
  'files',
  'transfer',
  'lifecycle',
  'placement',
  'pause',
  'snapshot',
  'terminal',
  'forward',
  'network',
  'limits',
  'disconnect',
  'leaks',
] as const;

export type Concern = (typeof concerns)[number];

/** A capability that a scenario needs, and the opposite that holds for a place without it. */
export interface Requirement {
  /** The capability's key, such as `pause`, or key and mode, such as `limits.cpu`. */
  readonly capability: string;
  met(capabilities: Capabilities): boolean;
  /** Runs in place of the scenario where the capability is not declared: mostly that using it throws `unsupported`. */
  absent(context: Context): Promise<void>;
}

/** One thing that every place must do, proven on a live sandbox. */
export interface Scenario {
  /** The contract's rule and a few words, such as `E5.setsid-child`. */
  readonly id: string;
  readonly concern: Concern;
  /** A sentence that is true of a place that passes. */
  readonly title: string;
  readonly needs?: Requirement | undefined;
  /** Hooks of the subject without which the scenario cannot be run; it then counts as not declared. */
  readonly hooks?: readonly Hook[] | undefined;
  /** Gets a sandbox of its own, opened with these options: because it destroys or damages it, or needs the options. */
  readonly own?: Omit<OpenOptions, 'options' | 'gate'> | true | undefined;
  /**
   * Runs after every other sandbox of the run was destroyed, in a fresh one, with {@link Context.leftovers}. For what
   * only the end can show.
   */
  readonly atEnd?: true | undefined;
  /** A scenario that takes longer has failed: it hangs. Default 20 000. */
  readonly deadlineMs?: number | undefined;
  /** Throws when the place does otherwise. */
  run(context: Context): Promise<void>;
}

/** What a scenario works with. Everything it opens, starts or makes is cleaned up after it. */
export interface Context {
  readonly subject: Subject;
  /** Shared by most scenarios: leave it as it was found. */
  readonly sandbox: Sandbox;
  readonly capabilities: Capabilities;
  readonly placement: Placement;
  /** The shell that command texts run under. Texts must be POSIX unless this says bash. */
  readonly shell: 'bash' | 'sh';
  /** The environment that the sandbox was opened with. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Opens a further sandbox (or another handle of a named one); destroyed after the scenario. Two places at most live at a time. */
  open(options?: Omit<OpenOptions, 'options' | 'gate'>): Promise<Sandbox>;
  /** Starts another client process; killed after the scenario. Needs the hook `spawnClient`. */
  client(task: ClientTask): Promise<Client>;
  /** A name for a sandbox that nobody else has. */
  name(): string;
  /** A word that turns up nowhere else: put it into a process' arguments or environment to count it on the target. */
  marker(): string;
  /** Processes on the target that carry the marker in their arguments or environment. */
  survivors(marker: string, sandbox?: Sandbox): Promise<readonly Survivor[]>;
  /** Fails unless no process carries the marker within `withinMs` (default 1000). */
  gone(marker: string, withinMs?: number, sandbox?: Sandbox): Promise<void>;
  /** Fails unless a process carries the marker within `withinMs` (default 5000). */
  alive(marker: string, withinMs?: number, sandbox?: Sandbox): Promise<void>;
  /** Kills every process that carries the marker: for what a scenario leaves running on purpose. */
  end(marker: string, sandbox?: Sandbox): Promise<void>;
  /** Polls until `probe` gives something else than undefined or false; fails after `withinMs` (default 5000) with `what`. */
  eventually<T>(what: string, probe: () => Promise<T | undefined | false> | T | undefined | false, withinMs?: number): Promise<T>;
  /** An empty directory on the target, absolute, without a character that a shell would look at. */
  directory(): Promise<string>;
  /** An empty directory on this machine. */
  localDirectory(): Promise<string>;
  /** What the run has left in this process; only for scenarios `atEnd`. */
  readonly leftovers: Leftovers | undefined;
  /** What the run shares: the marker in every command's environment, and the names of all sandboxes. */
  readonly run: Pick<RunState, 'marker' | 'opened' | 'temporary'>;
  /** Says something worth reading in the report that is no failure, such as a power that is there and undeclared. */
  note(text: string): void;
}

export interface Survivor {
  readonly pid: number;
  /** Where the marker was found. */
  readonly found: 'arguments' | 'environment';
}

type Draft = Omit<Scenario, 'concern'>;

/** The scenarios of one concern. */
export function scenarios(concern: Concern, drafts: readonly Draft[]): readonly Scenario[] {
  return drafts.map((draft) => ({ ...draft, concern }));
}

/** The contract's rule that a scenario proves: `E5` for `E5.setsid-child`. */
export function ruleOf(scenario: Pick<Scenario, 'id'>): string {
  return scenario.id.slice(0, scenario.id.indexOf('.'));
}
