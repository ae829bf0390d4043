import type { NetworkMode } from '../contract/capabilities.js';

/** What the judge says about a command. `deny` is stricter than `ask`, which is stricter than `allow`. */
export type Verdict = 'allow' | 'ask' | 'deny';

const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

/** The stricter of two verdicts. */
export function strictest(left: Verdict, right: Verdict): Verdict {
  return strictness[left] >= strictness[right] ? left : right;
}

/** Negative when `left` is milder than `right`, zero when equal, positive when stricter. */
export function compareVerdicts(left: Verdict, right: Verdict): number {
  return strictness[left] - strictness[right];
}

/**
 * What an effect touches. The placement says which of these are real in a place. `anything`: code that cannot be read reaches whatever the
 * place offers.
 */
export type Reach = 'filesystem' | 'host' | 'network' | 'credentials' | 'remote-service' | 'processes' | 'anything';

/** Half-open range of UTF-16 code units in the command text that was judged. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One thing that a command would do and a person should know about. */
export interface Finding {
  /** Stable dotted id, such as `fs.delete-recursive` or `git.force-push`. */
  readonly rule: string;
  /** What this finding means in the place of the context. `allow` = recorded, but harmless there. */
  readonly severity: Verdict;
  /** What it means where nothing is isolated. Differs from `severity` only when the place takes the effect's reach away. */
  readonly judged: Verdict;
  readonly span: Span;
  /** The resolved words of the command it belongs to, as shown to a person; empty when it belongs to no single command. */
  readonly argv: readonly string[];
  /** How the command was reached, outermost first: `['sudo', 'bash -c']`. Empty when it stands in the text itself. */
  readonly via: readonly string[];
  /** One sentence for a person and for an agent. */
  readonly reason: string;
  readonly reach: Reach;
  /** A command that does what is usually meant, with less harm. */
  readonly alternative?: string | undefined;
  /** Absolute, normalised paths that the effect touches, where they are known. */
  readonly paths?: readonly string[] | undefined;
  /** False when an answer must not outlive the session: dynamic parts, interpreters, wrappers, parse errors, hidden characters. */
  readonly durable: boolean;
}

/** One word of a resolved command. */
export interface ResolvedWord {
  /** The value where it is known; unknown parts appear as `…`, active wildcards as they were written. */
  readonly text: string;
  /** True when `text` is exactly what the program receives. */
  readonly literal: boolean;
}

/** A variable that a command sees changed. `value` is undefined when it cannot be known. */
export interface EnvironmentChange {
  readonly name: string;
  readonly value: string | undefined;
}

/** A file that a shell or another interpreter runs as its script. */
export interface ScriptOperand {
  /** Absolute and normalised; undefined when the path cannot be known. */
  readonly path: string | undefined;
  /** Basename of the interpreter: `sh`, `python3`; `source` for a file read into the shell; empty for a file run directly. */
  readonly interpreter: string;
}

/** A command as it would run, after expansion and after wrappers were taken off. */
export interface ResolvedCommand {
  readonly argv: readonly ResolvedWord[];
  /** True when every word is literal. */
  readonly static: boolean;
  /** Absolute working directory; undefined when it cannot be known. */
  readonly cwd: string | undefined;
  /** Assignments in front of the command and by `env` or `export` in the same text. */
  readonly env: readonly EnvironmentChange[];
  /** Absolute paths that redirections write to; `…` marks unknown parts. */
  readonly writes: readonly string[];
  readonly script?: ScriptOperand | undefined;
  readonly span: Span;
  readonly via: readonly string[];
  /** True for `sudo sh -c …` itself and other commands whose payload is listed as a command of its own. */
  readonly wrapper: boolean;
  /** Authenticates through sudo, doas, su or pkexec. */
  readonly privileged: boolean;
  /** False when an answer about this command must not be stored beyond the session. */
  readonly durable: boolean;
}

/** A directory of the host that a command sees, by the path under which it sees it. */
export interface JudgeMount {
  readonly target: string;
  readonly access: 'read-only' | 'read-write';
}

/** Where the command would run, and what is around it there. Everything is by name; nothing is looked up. */
export interface JudgeContext {
  /** Name of the backend: `local`, `ssh`, `docker` … Shown in reasons, never compared. */
  readonly place: string;
  /** True when the place is another filesystem than the host's, such as a container. False for the local machine and for ssh. */
  readonly isolated: boolean;
  /** Absolute directory in which the command starts. */
  readonly cwd: string;
  readonly home: string;
  readonly user: string;
  /** Defaults to `host` when not isolated and to `persistent` when isolated. */
  readonly storage?: 'host' | 'persistent' | 'ephemeral' | undefined;
  readonly mounts?: readonly JudgeMount[] | undefined;
  /** Names of variables forwarded from the environment of Petasos. */
  readonly forwarded?: readonly string[] | undefined;
  /** Defaults to `open`: an unknown network counts as one. */
  readonly network?: NetworkMode | undefined;
  /** Absolute paths of Petasos' own configuration, rules, ledger and audit: writing there or near there is denied. */
  readonly protectedPaths?: readonly string[] | undefined;
  readonly shell?: 'bash' | 'sh' | undefined;
  readonly platform?: 'linux' | 'darwin' | undefined;
  /** Root of the project when it is not `cwd`; deletions inside it are judged more mildly than elsewhere. */
  readonly project?: string | undefined;
}

/** The answer of the judge. `verdict` is the strictest severity among the findings. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  /** Every command that the text would run, in order of appearance. */
  readonly commands: readonly ResolvedCommand[];
}
