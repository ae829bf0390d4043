import { CommandReader } from './command.js';
import type { Findings, Report } from './findings.js';
import { type Data, Output, type Source, substituted, unknownData } from './flow.js';
import { Invoker } from './invoke.js';
import { limits } from './limits.js';
import { UNKNOWN, withoutMarks } from './marks.js';
import {
  type ArithmeticExpression,
  type Command,
  type CommandNode,
  hasErrors,
  type ParsedScript,
  type PipelineNode,
  parseScript,
  type Statement,
  type SyntaxNode,
  sweep,
  tooDeepAt,
  type Word,
} from './parse.js';
import { evaluate } from './resolve/arithmetic.js';
import type { Expansion } from './resolve/expansion.js';
import { resolveTest } from './resolve/test-expression.js';
import { piecesOf, resolveFields, resolveText } from './resolve/word.js';
import { Scope, scalar, unknownValue } from './scope.js';
import type { JudgeContext, ResolvedCommand, Span } from './verdict.js';

/** What surrounds the code that is being walked. */
export interface Flow {
  readonly stdin: Data | undefined;
  readonly out: Output | undefined;
  readonly via: readonly string[];
  /** Set for payloads: their findings stand at the command that carries them. */
  readonly span: Span | undefined;
  readonly depth: number;
  /** Functions and aliases that are being followed, so that recursion ends. */
  readonly following: readonly string[];
  /** Too deep for substitutions to be followed from here; the sweep visits them by itself. */
  readonly shallow?: boolean | undefined;
  /** Within the body of a function that is only being defined: what it is called with is judged at each call. */
  readonly defining?: boolean | undefined;
  /** Runs on another machine: whatever it touches is reached through the network. */
  readonly remote?: boolean | undefined;
}

/** Where something stands in the text. */
type Place = { readonly pos: number; readonly end: number };

/** Walks every position of a text from which something can be executed. */
export class Walker {
  readonly commands: ResolvedCommand[] = [];
  /** What commands of this same text wrote, by absolute path. */
  readonly written = new Map<string, Data>();
  /** What can be read from the names that process substitutions gave. */
  readonly descriptors = new Map<string, Data>();
  readonly reader: CommandReader;
  readonly invoker: Invoker;
  #units = 0;
  #payload = 0;
  #braces: number = limits.braces;

  constructor(
    readonly context: JudgeContext,
    readonly findings: Findings,
  ) {
    this.reader = new CommandReader(this);
    this.invoker = new Invoker(this);
  }

  report(report: Report, span: Span, argv: readonly string[], flow: Pick<Flow, 'via' | 'remote'>): void {
    const elsewhere = flow.remote && report.rule !== 'sudo.password-on-stdin' && report.reach !== 'credentials';
    this.findings.add(elsewhere ? { ...report, reach: 'remote-service' } : report, { span, argv, via: flow.via });
  }

  /** Counts one more followed command; false when there are too many. */
  spend(span: Span, flow: Flow): boolean {
    if (++this.#units <= limits.commands) return true;
    this.report(
      { rule: 'limit.commands', reach: 'anything', reason: `It has more than ${limits.commands} commands to follow.`, durable: false },
      span,
      [],
      flow,
    );
    return false;
  }

  /** Text that is read as code of its own: the command itself, or a payload. */
  text(text: string, scope: Scope, flow: Flow): void {
    this.#payload += text.length;
    const span = flow.span ?? { start: 0, end: text.length };
    if (this.#payload > limits.payload) {
      this.report(
        { rule: 'limit.payload', reach: 'anything', reason: 'It carries more code within code than can be followed.', durable: false },
        span,
        [],
        flow,
      );
      return;
    }
    const deep = tooDeepAt(text, limits.depth);
    if (deep !== undefined) {
      this.#nested(limits.depth, span, flow);
      this.text(text.slice(0, deep), scope, flow);
      return;
    }
    const script = parseScript(text);
    if (!script) this.#unparsed(span, flow);
    else {
      if (hasErrors(script)) this.#unparsed(span, flow);
      this.statements(script.commands, scope, flow);
      if (hasErrors(script)) this.#lines(text, scope, flow);
    }
  }

  #unparsed(span: Span, flow: Flow): void {
    const reason = 'It cannot be read as a shell command; a shell may run parts of it before it sees the error.';
    this.report({ rule: 'parse.error', reach: 'anything', reason, durable: false }, span, [], flow);
  }

  /** After an error each line counts on its own: a shell runs what comes before the error. */
  #lines(text: string, scope: Scope, flow: Flow): void {
    let start = 0;
    const lines = text.split('\n', limits.lines);
    for (const line of lines) {
      const span = flow.span ?? { start, end: start + line.length };
      start += line.length + 1;
      const trimmed = line.trim().replace(/^[({]+\s*|\s*[)};]+$/g, '');
      if (!trimmed || (lines.length === 1 && trimmed === text)) continue;
      const script = parseScript(trimmed);
      if (script) this.statements(script.commands, scope.child(), { ...flow, span, out: undefined, depth: flow.depth + 1 });
    }
  }

  statements(list: readonly Statement[], scope: Scope, flow: Flow): void {
    for (const statement of list) this.node(statement.command, statement.background ? scope.child() : scope, flow);
  }

  node(node: Statement['command'] | PipelineNode | CommandNode | SyntaxNode, scope: Scope, flow: Flow): void {
    if (flow.depth > limits.nesting) {
      this.#deep(node, flow);
      return;
    }
    const below = { ...flow, depth: flow.depth + 1 };
    switch (node.type) {
      case 'Command':
        this.reader.simple(node, scope, flow);
        return;
      case 'Pipeline':
        this.#pipeline(node.commands, scope, below);
        return;
      case 'AndOr':
        this.#chain(node.commands, node.operators, scope, below);
        return;
      case 'Subshell':
        this.statements(node.body.commands, scope.child(), below);
        return;
      case 'BraceGroup':
        this.statements(node.body.commands, scope, below);
        return;
      case 'CompoundList':
        this.statements(node.commands, scope, below);
        return;
      case 'Redirected': {
        const inner = this.reader.redirected(node.redirects, scope, below, node);
        this.node(node.command, scope, inner.flow);
        inner.finish();
        return;
      }
      case 'If': {
        this.statements(node.clause.commands, scope, below);
        const branches = [scope.child()];
        this.statements(node.then.commands, branches[0] as Scope, below);
        for (const elif of node.elif) {
          const branch = scope.child();
          this.statements(elif.clause.commands, branch, below);
          this.statements(elif.then.commands, branch, below);
          branches.push(branch);
        }
        const last = scope.child();
        if (node.else) this.statements(node.else.commands, last, below);
        branches.push(last);
        scope.join(branches);
        return;
      }
      case 'While':
        this.#loop(scope, below, (round) => {
          this.statements(node.clause.commands, round, below);
          this.statements(node.body.commands, round, below);
        });
        return;
      case 'For':
      case 'Select':
        this.#for(node.name.value, node.wordlist, node, scope, below, node.body.commands);
        return;
      case 'ArithmeticFor': {
        const expansion = this.expansion(scope, below, node);
        for (const part of [node.initialize, node.test, node.update]) if (part) evaluate(part, expansion);
        this.#loop(scope, below, (round) => this.statements(node.body.commands, round, below));
        return;
      }
      case 'Case': {
        const expansion = this.expansion(scope, below, node);
        resolveText(node.word, expansion);
        const branches: Scope[] = [scope.child()];
        for (const item of node.items) {
          for (const pattern of item.pattern) resolveText(pattern, expansion);
          const branch = scope.child();
          this.statements(item.body.commands, branch, below);
          branches.push(branch);
        }
        scope.join(branches);
        return;
      }
      case 'TestCommand':
        resolveTest(node.expression, this.expansion(scope, below, node));
        return;
      case 'ArithmeticCommand':
        if (node.expression) evaluate(node.expression as ArithmeticExpression, this.expansion(scope, below, node));
        return;
      case 'Function':
        this.invoker.define(node.name.value, node.body, node, scope, below);
        return;
      case 'Coproc':
        this.node(node.body, scope.child(), below);
        return;
      default: {
        const reason = 'It contains a kind of shell syntax that is not understood.';
        this.report({ rule: 'parse.unknown', reach: 'anything', reason, durable: false }, this.span(node, flow), [], flow);
        this.#deep(node, flow);
      }
    }
  }

  span(node: Place, flow: Flow): Span {
    return flow.span ?? { start: node.pos, end: node.end };
  }

  #pipeline(stages: readonly CommandNode[], scope: Scope, flow: Flow): void {
    if (stages.length === 1) {
      this.node(stages[0] as CommandNode, scope, flow);
      return;
    }
    let stdin = flow.stdin;
    stages.forEach((stage, index) => {
      const out = index === stages.length - 1 ? flow.out : new Output();
      this.node(stage, scope.child(), { ...flow, stdin, out });
      if (index < stages.length - 1) stdin = out?.data ?? unknownData;
    });
  }

  /** Later members may not run: what they assign joins what was there. A directory change that others depend on counts as done. */
  #chain(members: readonly PipelineNode[], operators: readonly string[], scope: Scope, flow: Flow): void {
    this.node(members[0] as PipelineNode, scope, flow);
    const later = scope.child();
    for (const member of members.slice(1)) this.node(member, later, flow);
    if (!later.changed) {
      scope.join([later]);
      return;
    }
    const before = scope.child();
    if (operators.every((operator) => operator === '&&') && later.cwd !== scope.cwd) before.changeDirectory(later.cwd);
    scope.join([before, later]);
  }

  #loop(scope: Scope, flow: Flow, body: (round: Scope) => void): void {
    const round = scope.child();
    body(round);
    const again = round.changed && flow.depth < 8;
    scope.join([scope.child(), round]);
    if (!again) return;
    const next = scope.child();
    body(next);
    scope.join([scope.child(), next]);
  }

  #for(name: string, list: readonly Word[] | undefined, node: SyntaxNode, scope: Scope, flow: Flow, body: readonly Statement[]): void {
    const expansion = this.expansion(scope, flow, node);
    const fields = list ? list.flatMap((word) => resolveFields(word, expansion).flat()) : [...(scope.positional ?? [UNKNOWN])];
    this.#loop(scope, flow, (round) => {
      round.set(name, fields.length === 0 ? unknownValue : scalar(...fields));
      this.statements(body, round, flow);
    });
  }

  #nested(levels: number, span: Span, flow: Flow): void {
    this.report(
      { rule: 'limit.nesting', reach: 'anything', reason: `It nests deeper than ${levels} levels.`, durable: false },
      span,
      [],
      flow,
    );
  }

  /** Below the depth that is followed with state, every command is still judged, each on its own and with nothing known. */
  #deep(node: SyntaxNode, flow: Flow): void {
    const span = this.span(node, flow);
    this.#nested(limits.nesting, span, flow);
    if (flow.shallow) return;
    const scope = new Scope(undefined, undefined, undefined);
    sweep(node, (inner) => {
      if (inner.type === 'Command')
        this.reader.simple(inner as Command, scope.child(), { ...flow, span, stdin: unknownData, out: undefined, shallow: true });
      return true;
    });
  }

  /** Evaluates the code of a substitution and gives what it writes. */
  substitute(script: ParsedScript | undefined, scope: Scope, flow: Flow, node: Place): Data {
    if (!script) return unknownData;
    if (flow.shallow) return unknownData;
    const span = script.source === undefined ? flow.span : this.span(node, flow);
    if (hasErrors(script)) this.#unparsed(span ?? this.span(node, flow), flow);
    if (flow.depth > limits.nesting) {
      this.#deep(script, { ...flow, span });
      return unknownData;
    }
    const out = new Output();
    this.statements(script.commands, scope.child(), { ...flow, span, out, depth: flow.depth + 1 });
    return out.data;
  }

  expansion(scope: Scope, flow: Flow, node: Place, sources?: Set<Source>): Expansion {
    const walker = this;
    return {
      scope,
      home: this.context.home,
      user: this.context.user,
      text(word) {
        return resolveText(word, this);
      },
      pieces(part) {
        return piecesOf(part, this, true);
      },
      spend: () => walker.spend(walker.span(node, flow), flow),
      expanded(words) {
        walker.#braces -= words;
        return walker.#braces > 0;
      },
      substitute(script) {
        const first = script?.commands.length === 1 ? script.commands[0]?.command : undefined;
        const read = first?.type === 'Command' && !first.name ? walker.reader.readsFile(first, scope, flow) : undefined;
        const output = read ?? walker.substitute(script, scope, flow, node);
        if (sources) for (const source of output.sources) sources.add(source);
        return substituted(output);
      },
      processSubstitution(script, direction) {
        const inner = direction === '>' ? { ...flow, stdin: unknownData } : flow;
        const output = walker.substitute(script, scope, inner, node);
        const path = `/dev/fd/substitution-${walker.descriptors.size}`;
        walker.descriptors.set(path, direction === '<' ? output : unknownData);
        return path;
      },
      evaluatedAgain(text) {
        if (!/\$\(|`|\[[^\]]*\$/.test(text)) return;
        const reason = 'A text is evaluated as arithmetic, where the shell runs the commands in it.';
        walker.report({ rule: 'word.arithmetic', reach: 'anything', reason, durable: false }, walker.span(node, flow), [], flow);
        walker.#embedded(text, scope, flow, node);
      },
      cut(operand) {
        if (flow.depth > limits.nesting) return;
        const code = `: "\${_:-${withoutMarks(operand)}}"`;
        walker.text(code, scope.child(), { ...flow, out: undefined, span: walker.span(node, flow), depth: flow.depth + 1 });
      },
      otherShell(text) {
        const reason = `In zsh, ${text.slice(0, 40)} runs a command.`;
        walker.report({ rule: 'word.other-shell', reach: 'anything', reason, durable: false }, walker.span(node, flow), [], flow);
      },
      expandedAsPrompt(text) {
        const reason = 'A text is expanded as a prompt, where the shell runs the commands in it.';
        walker.report({ rule: 'word.prompt-expansion', reach: 'anything', reason, durable: false }, walker.span(node, flow), [], flow);
        walker.#embedded(text, scope, flow, node);
      },
    };
  }

  /** Commands in a text that is expanded like a double-quoted string. */
  #embedded(text: string, scope: Scope, flow: Flow, node: Place): void {
    if (flow.depth > limits.nesting) return;
    const code = `: "${withoutMarks(text).replace(/"/g, '\\"')}"`;
    this.text(code, scope.child(), { ...flow, out: undefined, span: this.span(node, flow), depth: flow.depth + 1 });
  }
}
