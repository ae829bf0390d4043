import { Call, type Payload, type Surroundings } from './call.js';
import { judgeCode } from './code.js';
import type { Assigned } from './command.js';
import { checkAssignment } from './environment.js';
import type { Report } from './findings.js';
import { type Data, data, mixed, type Source, unknownData } from './flow.js';
import { defineFunction, runsItself } from './functions.js';
import { limits } from './limits.js';
import { canMatch, hasUnknown, SPREAD, show, UNKNOWN } from './marks.js';
import type { SyntaxNode } from './parse.js';
import { basename } from './paths.js';
import type { Program } from './program.js';
import { judgeProgramPath } from './program-path.js';
import { applyRules } from './program-rules.js';
import { knownNames, programFor } from './programs/index.js';
import { type Scope, scalar } from './scope.js';
import { judgeUnknown } from './unknown-program.js';
import type { ResolvedCommand, ScriptOperand, Span } from './verdict.js';
import type { Flow, Walker } from './walk.js';
import { type Arg, argument } from './word.js';

/** A resolved command on its way to what it means. */
export interface Invocation {
  readonly scope: Scope;
  readonly flow: Flow;
  readonly span: Span;
  readonly assignments: readonly { readonly name: string; readonly value: string }[];
  readonly declared: readonly Assigned[];
  readonly writes: readonly string[];
  readonly wordSources: ReadonlySet<Source>;
}

/** Finds out what a name means, judges the program and follows what it runs. */
export class Invoker {
  constructor(private readonly walker: Walker) {}

  invoke(argv: readonly Arg[], from: Invocation): void {
    const [first, ...rest] = argv;
    if (!first) return;
    const { flow, span } = from;
    const shownWords = argv.map((word) => word.text);
    const report = (finding: Report): void => this.walker.report(finding, span, shownWords, flow);
    for (const { name, value } of from.assignments) {
      const finding = checkAssignment(name, value, this.walker.context, false);
      if (finding) report(finding);
    }
    if (!first.literal) {
      this.#dynamicName(first, rest, from, report);
      return;
    }
    if (first.raw === '') return;
    if (/[^\x20-\x7e]/.test(first.raw) && !hasUnknown(first.raw)) {
      report({
        rule: 'raw.look-alike',
        reach: 'anything',
        reason: 'The name of the command has characters that look like others or cannot be seen.',
        durable: false,
      });
    }
    if (!first.raw.includes('/')) {
      this.#alias(first.raw, rest, from);
      if (this.#function(first.raw, rest, from)) return;
    }
    const name = basename(first.raw);
    const program = programFor(name);
    const entry: { -readonly [Key in keyof ResolvedCommand]: ResolvedCommand[Key] } = {
      argv: argv.map((word) => ({ text: word.text, literal: word.literal })),
      static: argv.every((word) => word.literal),
      cwd: from.scope.cwd,
      env: from.assignments.map(({ name: variable, value }) => ({ name: variable, value: hasUnknown(value) ? undefined : value })),
      writes: from.writes,
      span,
      via: flow.via,
      wrapper: program?.wrapper ?? false,
      privileged: program?.privileged ?? false,
      durable: !(program?.wrapper || program?.fleeting),
    };
    this.walker.commands.push(entry);
    const setScript = (script: ScriptOperand): void => {
      entry.script = script;
    };
    const at = this.#surroundings(from, report, setScript);
    if (first.raw.includes('/'))
      judgeProgramPath(first.raw, program, at, (text, payload) => this.#shell(text, from, payload, '', at.stdin));
    const call = new Call(name, rest, program?.options, at);
    if (!program) judgeUnknown(call);
    else if (!asksForHelp(program, rest)) {
      program.check?.(call);
      if (program.rules) applyRules(program.rules, call);
      if (program.shows) for (const operand of call.operands) call.reads(operand);
    }
    this.#output(program, call, from);
  }

  #output(program: Program | undefined, call: Call, from: Invocation): void {
    const out = from.flow.out;
    if (!out) return;
    const known = program?.output?.(call);
    if (known) out.add(known);
    else if (!program?.wrapper) out.add({ text: undefined, sources: mixed(from.flow.stdin, data(undefined, 'unknown')) });
  }

  #dynamicName(first: Arg, rest: readonly Arg[], from: Invocation, report: (finding: Report) => void): void {
    const name = basename(first.raw);
    this.walker.commands.push({
      argv: [first, ...rest].map((word) => ({ text: word.text, literal: word.literal })),
      static: false,
      cwd: from.scope.cwd,
      env: [],
      writes: from.writes,
      span: from.span,
      via: from.flow.via,
      wrapper: false,
      privileged: false,
      durable: false,
    });
    report({
      rule: 'word.dynamic-command',
      reach: 'anything',
      reason: 'Which program it runs cannot be known beforehand.',
      durable: false,
    });
    const follow = (words: readonly Arg[]): void => {
      if (words.length && this.walker.spend(from.span, from.flow)) this.invoke(words, { ...from, flow: { ...from.flow, out: undefined } });
    };
    if (first.raw === SPREAD) {
      const named = rest.findIndex((word) => word.raw !== SPREAD);
      if (named >= 0) follow(rest.slice(named));
    }
    if (!first.dynamic) for (const candidate of candidates(name)) follow([argument(candidate), ...rest]);
    if (first.dynamic && !hasUnknown(name) && programFor(name)) follow([argument(name), ...rest]);
    // What is unknown may also be empty: `r$x'm'` is rm where x is not set.
    const without = first.raw.replace(/[\uE000\uE001]/g, '');
    if (first.dynamic && hasUnknown(name) && programFor(basename(without))) follow([argument(without), ...rest]);
    from.flow.out?.add(unknownData);
  }

  /** Whether a shell expands aliases depends on how it was started, so both meanings of the name are judged. */
  #alias(name: string, rest: readonly Arg[], from: Invocation): void {
    const text = from.scope.alias(name);
    const mark = `alias ${name}`;
    if (text === undefined || from.flow.following.includes(mark)) return;
    const flow = { ...from.flow, following: [...from.flow.following, mark] };
    const line = [text, ...rest.map((word) => quote(word.raw))].join(' ');
    this.walker.text(line, from.scope, { ...flow, span: from.span, depth: flow.depth + 1 });
  }

  #function(name: string, rest: readonly Arg[], from: Invocation): boolean {
    const body = from.scope.function(name) as SyntaxNode | undefined;
    const mark = `function ${name}`;
    if (!body || from.flow.following.includes(mark)) return body !== undefined;
    const before = from.scope.positional;
    from.scope.setPositional(rest.map((word) => word.raw));
    this.walker.node(body, from.scope, { ...from.flow, following: [...from.flow.following, mark], depth: from.flow.depth + 1 });
    from.scope.setPositional(before);
    return true;
  }

  /** A function: its body is judged where it stands, as nobody says when it will be called. */
  define(name: string, body: SyntaxNode, node: SyntaxNode, scope: Scope, flow: Flow): void {
    defineFunction(name, body, scope);
    if (runsItself(name, body)) {
      const reason = 'A function starts copies of itself without end, which stops the machine.';
      this.walker.report(
        { rule: 'proc.fork-bomb', verdict: 'deny', reach: 'processes', reason },
        this.walker.span(node, flow),
        [name],
        flow,
      );
      return;
    }
    const inner = scope.child();
    inner.setPositional(undefined);
    this.walker.node(body, inner, {
      ...flow,
      out: undefined,
      stdin: undefined,
      following: [...flow.following, `function ${name}`],
      depth: flow.depth + 1,
      defining: programFor(name) === undefined && name !== 'command_not_found_handle',
    });
  }

  #surroundings(from: Invocation, report: (finding: Report) => void, setScript: (script: ScriptOperand) => void): Surroundings {
    const { walker } = this;
    const stdin = from.flow.stdin;
    return {
      context: walker.context,
      known: programFor,
      scope: from.scope,
      stdin,
      assignments: from.assignments,
      declared: from.declared,
      wordSources: from.wordSources,
      report,
      runWords: (words, payload) => {
        if (!words.length || !walker.spend(from.span, from.flow)) return;
        if (from.flow.depth > limits.nesting) {
          report({ rule: 'limit.nesting', reach: 'anything', reason: `It nests deeper than ${limits.nesting} levels.`, durable: false });
          return;
        }
        const scope = this.#scope(from.scope, payload);
        this.invoke(words, {
          ...from,
          scope,
          flow: this.#flow(from.flow, payload, stdin),
          assignments: payload.assignments ?? [],
          declared: [],
          writes: [],
        });
      },
      runShell: (text, payload) => this.#shell(text, from, payload, payload.label ?? '', stdin),
      runCode: (language, text) =>
        judgeCode(language, text, {
          report,
          context: walker.context,
          cwd: from.scope.cwd,
          shell: (code) => this.#shell(code, from, {}, language, undefined),
          words: (list) => {
            if (walker.spend(from.span, from.flow))
              this.invoke(list.map(argument), {
                ...from,
                flow: this.#flow(from.flow, { label: language }, undefined),
                assignments: [],
                declared: [],
                writes: [],
              });
          },
        }),
      written: (path) => walker.written.get(path),
      remember: (path, content) => void walker.written.set(path, content),
      descriptor: (path) => walker.descriptors.get(path),
      script: (path, interpreter) => setScript({ path, interpreter }),
      assign: (assigned) => walker.reader.assign(assigned, from.scope),
      evaluatedAgain: (text) => walker.expansion(from.scope, from.flow, { pos: from.span.start, end: from.span.end }).evaluatedAgain(text),
    };
  }

  #scope(scope: Scope, payload: Payload): Scope {
    if (payload.sameShell) return scope;
    const inner = scope.child();
    if (payload.cwd !== undefined) inner.changeDirectory(payload.cwd === '' ? undefined : payload.cwd);
    if (payload.positional) inner.setPositional(payload.positional);
    if (payload.name !== undefined) inner.set('0', scalar(payload.name));
    if (payload.ownProcess) inner.ownProcess = true;
    if (payload.remote || payload.mounts) inner.elsewhere = true;
    if (payload.mounts) inner.mounts = payload.mounts;
    return inner;
  }

  #flow(flow: Flow, payload: Payload, stdin: Data | undefined): Flow {
    return {
      ...flow,
      stdin: payload.stdin ?? stdin,
      via: payload.label ? [...flow.via, payload.label] : flow.via,
      depth: flow.depth + 1,
      remote: flow.remote || payload.remote,
    };
  }

  #shell(text: string, from: Invocation, payload: Payload, label: string, stdin: Data | undefined): void {
    const flow = this.#flow(from.flow, { ...payload, label: label || undefined }, stdin);
    const report = (finding: Report): void => this.walker.report(finding, from.span, [label, show(text)], from.flow);
    if (hasUnknown(text))
      report({
        rule: 'exec.dynamic-code',
        reach: 'anything',
        reason: 'It runs shell code of which parts cannot be known beforehand.',
        durable: false,
      });
    if (text.trim() === UNKNOWN || text.trim() === SPREAD) return;
    if (flow.depth > limits.nesting) {
      report({ rule: 'limit.nesting', reach: 'anything', reason: `It nests deeper than ${limits.nesting} levels.`, durable: false });
      return;
    }
    this.walker.text(text, this.#scope(from.scope, payload), { ...flow, span: from.span });
  }
}

/** Programs that do most harm when a wildcard names them, looked at before all others. */
const harmful = [
  'rm',
  'dd',
  'mv',
  'chmod',
  'chown',
  'shred',
  'find',
  'mkfs',
  'wipefs',
  'sh',
  'bash',
  'shutdown',
  'reboot',
  'git',
  'sudo',
  'env',
];
const mostCandidates = 24;

/** Known programs that a pattern can match. */
function candidates(pattern: string): readonly string[] {
  const found = harmful.filter((name) => canMatch(pattern, name));
  for (const name of knownNames()) {
    if (found.length >= mostCandidates) break;
    if (canMatch(pattern, name) && !found.includes(name)) found.push(name);
  }
  return found;
}

/** Quotes a word so that it is read again as the same word. */
function quote(raw: string): string {
  return /^[\w./:=@%+,\uE000-\uE005-]+$/.test(raw) ? raw : `'${raw.replaceAll("'", "'\\''")}'`;
}

/** `--help` and `--version` alone do nothing else. */
function asksForHelp(program: Program, args: readonly Arg[]): boolean {
  if (args.length === 1) return args[0]?.raw === '--help' || args[0]?.raw === '--version' || args[0]?.raw === '-V';
  const last = args[args.length - 1]?.raw;
  return (
    last === '--help' &&
    !program.wrapper &&
    args.length <= 4 &&
    args.slice(0, -1).every((arg) => /^[\w:-]+$/.test(arg.raw) && !arg.raw.startsWith('-'))
  );
}
