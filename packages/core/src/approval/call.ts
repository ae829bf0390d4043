import type { Assigned } from './command.js';
import type { Report } from './findings.js';
import type { Data, Source } from './flow.js';
import { matches, type Option, type OptionTable, type ParsedOptions, parseOptions } from './options.js';
import { judgeDeletion, judgePermission, judgeReading, judgeWriting } from './path-policy.js';
import { locate } from './paths.js';
import type { Program } from './program.js';
import type { Scope } from './scope.js';
import type { JudgeContext } from './verdict.js';
import { type Arg, argument } from './word.js';

/** How payloads of a call are followed. */
export interface Payload {
  /** What the person sees on the way to it: `sudo`, `bash -c`. */
  readonly label?: string | undefined;
  readonly stdin?: Data | undefined;
  readonly cwd?: string | undefined;
  /** `$1`, `$2` … of a shell payload; with `name` as `$0`. */
  readonly positional?: readonly string[] | undefined;
  readonly name?: string | undefined;
  /** A shell process of its own, unlike `eval` and `trap`. */
  readonly ownProcess?: boolean | undefined;
  readonly assignments?: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** Runs on another machine. */
  readonly remote?: boolean | undefined;
  /** Runs in a container that sees these directories: `[inside, outside]`. */
  readonly mounts?: readonly (readonly [string, string])[] | undefined;
  /** Runs in this same shell: its variables and directory stay. */
  readonly sameShell?: boolean | undefined;
}

/** What a call needs from whoever walks the text. */
export interface Surroundings {
  readonly context: JudgeContext;
  /** What is known about a program, by its basename. */
  known(name: string): Program | undefined;
  readonly scope: Scope;
  readonly stdin: Data | undefined;
  /** Assignments in front of the command. */
  readonly assignments: readonly { readonly name: string; readonly value: string }[];
  /** Arguments of `declare`, `export`, `alias` and their like that are assignments. */
  readonly declared: readonly Assigned[];
  report(finding: Report): void;
  runWords(words: readonly Arg[], payload: Payload): void;
  runShell(text: string, payload: Payload): void;
  runCode(language: string, text: string): void;
  /** What the same text wrote to a file before, if it did. */
  written(path: string): Data | undefined;
  remember(path: string, content: Data): void;
  descriptor(path: string): Data | undefined;
  script(path: string | undefined, interpreter: string): void;
  /** Where the output of substitutions in the words comes from. */
  readonly wordSources: ReadonlySet<Source>;
  assign(assigned: Assigned): void;
  /** A text that the shell evaluates as arithmetic. */
  evaluatedAgain(text: string): void;
}

/** One command as a program sees it. */
export class Call {
  readonly #parsed = new Map<OptionTable | undefined, ParsedOptions>();

  constructor(
    readonly name: string,
    readonly args: readonly Arg[],
    readonly table: OptionTable | undefined,
    readonly at: Surroundings,
  ) {}

  get scope(): Scope {
    return this.at.scope;
  }

  get stdin(): Data | undefined {
    return this.at.stdin;
  }

  parsed(table: OptionTable | undefined = this.table): ParsedOptions {
    let parsed = this.#parsed.get(table);
    if (!parsed) {
      parsed = parseOptions(this.args, table);
      this.#parsed.set(table, parsed);
    }
    return parsed;
  }

  get operands(): readonly Arg[] {
    return this.parsed().operands;
  }

  get options(): readonly Option[] {
    return this.parsed().options;
  }

  operand(index: number): string | undefined {
    return this.operands[index]?.text;
  }

  /** Any of the options, given as `-f --force`. */
  has(names: string): boolean {
    return this.option(names) !== undefined;
  }

  option(names: string): Option | undefined {
    const wanted = names.split(' ');
    return this.options.find((option) => wanted.some((name) => matches(option, name)));
  }

  /** Every value given to any of the options. */
  values(names: string): Arg[] {
    const wanted = names.split(' ');
    return this.options.flatMap((option) => (option.value && wanted.some((name) => matches(option, name)) ? [option.value] : []));
  }

  value(names: string): Arg | undefined {
    return this.values(names)[0];
  }

  /** The arguments from an index as a call of their own: a subcommand with options of its own. */
  sub(name: string, from: number, table: OptionTable | undefined): Call {
    return new Call(name, this.args.slice(from), table, this.at);
  }

  report(rule: string, reach: Report['reach'], reason: string, more: Partial<Report> = {}): void {
    this.at.report({ rule, reach, reason, ...more });
  }

  path(arg: Arg | string): string {
    return this.scope.outside(locate(typeof arg === 'string' ? arg : arg.raw, this.scope.cwd));
  }

  /** A file that is written to, created or replaced. */
  writes(arg: Arg | string): void {
    const report = judgeWriting(this.path(arg), this.at.context);
    if (report) this.at.report(report);
  }

  /** A file whose content is shown or sent. */
  reads(arg: Arg | string): boolean {
    const report = judgeReading(this.path(arg));
    if (report) this.at.report(report);
    return report !== undefined;
  }

  deletes(arg: Arg | string, recursive: boolean): void {
    const report = judgeDeletion(this.path(arg), recursive, this.at.context, this.scope.cwd);
    if (report) this.at.report(report);
  }

  changesPermissions(arg: Arg | string, recursive: boolean): boolean {
    const report = judgePermission(this.path(arg), recursive, this.at.context);
    if (report) this.at.report(report);
    return report !== undefined;
  }

  run(words: readonly Arg[], payload: Payload = {}): void {
    this.at.runWords(words, { label: this.name, ...payload });
  }

  runFrom(index: number, payload: Payload = {}): void {
    if (index < this.args.length) this.run(this.args.slice(index), payload);
  }

  shell(text: string, payload: Payload = {}): void {
    this.at.runShell(text, { label: this.name, ...payload });
  }

  /** Words that a program joins and hands to a shell. */
  shellWords(words: readonly Arg[], payload: Payload = {}): void {
    if (words.length) this.shell(words.map((word) => word.raw).join(' '), payload);
  }

  code(language: string, text: string): void {
    this.at.runCode(language, text);
  }

  literal(text: string): Arg {
    return argument(text);
  }
}
