import { checkAssignment } from './environment.js';
import { type Data, data, isKnown, nothing, Output, type Source, unknownData } from './flow.js';
import { limits } from './limits.js';
import { hasUnknown, show, UNKNOWN } from './marks.js';
import type { Assignment, Command, HereDoc, Redirection, SyntaxNode, Word } from './parse.js';
import { isSecret, judgeReading, judgeWriting } from './path-policy.js';
import { locate } from './paths.js';
import type { Expansion } from './resolve/expansion.js';
import { resolveFields, resolveParts, resolveText } from './resolve/word.js';
import { type Scope, scalar, unknownValue, type Value } from './scope.js';
import type { Flow, Walker } from './walk.js';
import { argument } from './word.js';

/** An assignment in front of a command, or an argument of `declare` and its like. */
export interface Assigned {
  readonly name: string;
  readonly value: Value;
  readonly append: boolean;
  readonly index: string | undefined;
}

interface Redirected {
  readonly flow: Flow;
  readonly writes: readonly string[];
  /** To be called once the command was followed: what it wrote is now in the files. */
  finish(): void;
}

/** Reads simple commands: resolves words, assignments and redirections, and hands every variant on. */
export class CommandReader {
  constructor(private readonly walker: Walker) {}

  simple(command: Command, scope: Scope, flow: Flow): void {
    const span = this.walker.span(command, flow);
    if (!this.walker.spend(span, flow)) return;
    const wordSources = new Set<Source>();
    const expansion = this.walker.expansion(scope, flow, command, wordSources);
    const assignments: Assigned[] = [];
    for (const part of command.prefix) if (part.type === 'Assignment') assignments.push(this.#assigned(part, expansion));
    const declared: Assigned[] = [];
    const variants = this.#variants(command, expansion, declared);
    const redirected = this.redirected(command.redirects, scope, flow, command);
    const named = assignments.map(({ name, value }) => ({ name, value: single(value) }));
    if (!command.name || variants.every((fields) => fields.length === 0)) {
      for (const assigned of assignments) {
        this.assign(assigned, scope);
        if (scope.isInteger(assigned.name)) expansion.evaluatedAgain(single(assigned.value));
        const report = checkAssignment(assigned.name, single(assigned.value), this.walker.context, true);
        if (report) this.walker.report(report, span, [`${assigned.name}=${show(single(assigned.value))}`], flow);
      }
    }
    const passesOn = flow.defining && scope.positional === undefined && isOwnArguments(command.name);
    for (const fields of passesOn ? [] : variants) {
      if (fields.length === 0) continue;
      this.walker.invoker.invoke(fields.map(argument), {
        scope,
        flow: redirected.flow,
        span,
        assignments: named,
        declared,
        writes: redirected.writes,
        wordSources,
      });
    }
    redirected.finish();
  }

  #variants(command: Command, expansion: Expansion, declared: Assigned[]): string[][] {
    if (!command.name) return [[]];
    let variants: string[][] = resolveFields(command.name, expansion).map((fields) => [...fields]);
    for (const part of command.suffix) {
      if (part.type === 'Assignment') {
        const assigned = this.#assigned(part, expansion);
        declared.push(assigned);
        const field = `${part.name}${part.append ? '+' : ''}=${single(assigned.value)}`;
        for (const fields of variants) fields.push(field);
      } else if (part.type === 'Word') variants = this.#extend(variants, resolveFields(part, expansion));
    }
    return variants;
  }

  #extend(variants: string[][], more: string[][]): string[][] {
    if (more.length === 1) {
      const only = more[0] as string[];
      for (const fields of variants) if (fields.length < limits.words * 20) for (const field of only) fields.push(field);
      return variants;
    }
    if (variants.length * more.length > limits.alternatives) {
      // Too many combinations: the first one gets every value at once, so that none stays unseen.
      for (const fields of variants) for (const field of more[0] as string[]) fields.push(field);
      for (const extra of more.slice(1)) for (const field of extra) variants[0]?.push(field);
      return variants;
    }
    return variants.flatMap((fields) => more.map((extra) => [...fields, ...extra]));
  }

  #assigned(node: Assignment, expansion: Expansion): Assigned {
    const index = node.index ? (resolveText(node.index, expansion)[0] ?? UNKNOWN) : undefined;
    if (index !== undefined) expansion.evaluatedAgain(index);
    if (node.value.type === 'ArrayValue') {
      const elements = node.value.elements.flatMap((word) => resolveFields(word, expansion)[0] ?? []);
      return {
        name: node.name,
        value: { kind: 'array', elements: elements.map((element) => element.replace(/^\[[^\]]*\]=/, '')) },
        append: node.append ?? false,
        index,
      };
    }
    return { name: node.name, value: scalar(...resolveText(node.value, expansion, true)), append: node.append ?? false, index };
  }

  assign(assigned: Assigned, scope: Scope): void {
    const { name, value, append, index } = assigned;
    const before = scope.get(name);
    if (index !== undefined) {
      const elements = before?.kind === 'array' ? [...before.elements] : [];
      const at = /^\d{1,3}$/.test(index) ? Number(index) : undefined;
      if (at === undefined || at > limits.words) scope.set(name, unknownValue);
      else {
        while (elements.length < at) elements.push('');
        elements[at] = single(value);
        scope.set(name, { kind: 'array', elements });
      }
      return;
    }
    if (!append) {
      scope.set(name, value);
      return;
    }
    if (value.kind === 'array')
      scope.set(name, { kind: 'array', elements: [...(before?.kind === 'array' ? before.elements : []), ...value.elements] });
    else if (before?.kind === 'scalar' && value.kind === 'scalar')
      scope.set(name, scalar(...before.alternatives.flatMap((left) => value.alternatives.map((right) => left + right))));
    else scope.set(name, before === undefined ? scalar(`${UNKNOWN}${single(value)}`) : unknownValue);
  }

  redirected(list: readonly Redirection[], scope: Scope, flow: Flow, node: SyntaxNode): Redirected {
    if (list.length === 0) return { flow, writes: [], finish: () => undefined };
    const span = this.walker.span(node, flow);
    const expansion = this.walker.expansion(scope, flow, node);
    let stdin = flow.stdin;
    let out = flow.out;
    const writes: string[] = [];
    const files: { path: string; append: boolean; output: Output }[] = [];
    for (const redirect of list) {
      if (redirect.type === 'HereDoc') stdin = this.#heredoc(redirect, expansion);
      else if (redirect.type === 'HereString') {
        const text = redirect.target ? (resolveText(redirect.target, expansion)[0] ?? UNKNOWN) : '';
        stdin = hasUnknown(text) ? data(`${text}\n`, 'unknown') : data(`${text}\n`, 'literal');
      } else if (redirect.target) {
        for (const text of this.#targets(redirect.target, expansion)) {
          const operator = redirect.operator;
          if ((operator === '>&' || operator === '<&') && /^(?:\d+-?|-)$/.test(text)) continue;
          const path = locate(text, scope.cwd);
          if (/^\/dev\/(?:tcp|udp)\//.test(path)) this.#socket(path, operator, node, flow, span);
          else if (operator === '<' || operator === '<&') stdin = this.#input(path, flow, span);
          else {
            writes.push(show(path));
            const report = judgeWriting(path, this.walker.context);
            if (report) this.walker.report(report, span, [], flow);
            if (operator === '<>') stdin = unknownData;
            const descriptor = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : 1;
            const keeps = operator !== '<>' && (descriptor === 1 || operator.startsWith('&'));
            if (keeps) {
              const output = new Output();
              files.push({ path, append: operator.endsWith('>>'), output });
              out = output;
            }
          }
        }
      }
    }
    return {
      flow: { ...flow, stdin, out },
      writes,
      finish: () => {
        for (const { path, append, output } of files) {
          const before = append ? this.walker.written.get(path) : undefined;
          const content =
            append && !before ? { text: undefined, sources: output.data.sources } : before ? joined(before, output.data) : output.data;
          this.walker.written.set(path, content);
          const descriptor = this.walker.descriptors.get(path);
          if (descriptor) this.walker.descriptors.set(path, output.data);
        }
      },
    };
  }

  #targets(word: Word, expansion: Expansion): string[] {
    return word.parts?.some((part) => part.type === 'Glob' || part.type === 'BraceExpansion')
      ? resolveFields(word, expansion).flatMap((fields) => (fields.length === 0 ? [''] : fields))
      : resolveText(word, expansion);
  }

  /** `$(<file)` gives the content of a file. */
  readsFile(command: Command, scope: Scope, flow: Flow): Data | undefined {
    const redirect = command.redirects[0];
    if (
      command.redirects.length !== 1 ||
      redirect?.type !== 'Redirect' ||
      redirect.operator !== '<' ||
      !redirect.target ||
      command.prefix.some((part) => part.type === 'Assignment')
    )
      return undefined;
    const path = resolveText(redirect.target, this.walker.expansion(scope, flow, command))[0] ?? UNKNOWN;
    return this.#input(locate(path, scope.cwd), flow, this.walker.span(command, flow));
  }

  #input(path: string, flow: Flow, span: { start: number; end: number }): Data {
    const written = this.walker.written.get(path) ?? this.walker.descriptors.get(path);
    if (written) return written;
    if (path === '/dev/null') return nothing;
    if (path === '/dev/stdin' || path === '/dev/fd/0') return flow.stdin ?? unknownData;
    const report = judgeReading(path);
    if (report) this.walker.report(report, span, [], flow);
    return data(undefined, isSecret(path) ? 'secret' : 'file');
  }

  #heredoc(node: HereDoc, expansion: Expansion): Data {
    const text = node.body.text;
    const strip = (value: string): string => (node.operator === '<<-' ? value.replace(/^\t+/gm, '') : value);
    if (node.delimiter?.quoted) return data(strip(text), 'literal');
    const value = node.body.parts
      ? resolveParts(node.body.parts, expansion)
      : text.replace(/\\([\\$`\n])/g, (_, character: string) => (character === '\n' ? '' : character));
    return hasUnknown(value) ? data(strip(value), 'unknown') : data(strip(value), 'literal');
  }

  #socket(path: string, operator: string, node: SyntaxNode, flow: Flow, span: { start: number; end: number }): void {
    const host = path.split('/')[3] ?? '';
    if (/^(?:localhost|127\.|0\.0\.0\.0|::1|\[::1\])/.test(host)) return;
    const name = node.type === 'Command' ? (node.name?.value ?? 'exec') : '';
    const shell =
      /^(?:.*\/)?(?:exec|(?:ba|da|z|k|a|fi|c|tc)?sh|python[\d.]*|perl|ruby|nc|cat|env|socat)$/.test(name) ||
      operator === '<>' ||
      node.type !== 'Command';
    this.walker.report(
      {
        rule: shell ? 'net.reverse-shell' : 'net.raw-socket',
        verdict: shell ? 'deny' : 'ask',
        reach: 'network',
        reason: shell
          ? `It connects a shell or a descriptor to ${show(host)}, as a reverse shell does.`
          : `It opens a raw connection to ${show(host)}.`,
        durable: false,
      },
      span,
      [],
      flow,
    );
  }
}

/** `"$@"` as a command: a function that runs whatever it is called with. */
function isOwnArguments(name: Word | undefined): boolean {
  return name !== undefined && /^"?\$(?:@|\{@\})"?$/.test(name.text);
}

function joined(left: Data, right: Data): Data {
  const sources = new Set([...left.sources, ...right.sources]);
  return { text: isKnown(left) && isKnown(right) ? left.text + right.text : undefined, sources };
}

/** One text that stands for a value where alternatives do not matter. */
export function single(value: Value): string {
  if (value.kind === 'scalar') return value.alternatives.length === 1 ? (value.alternatives[0] as string) : UNKNOWN;
  if (value.kind === 'array') return value.elements.join(' ');
  return value.kind === 'unset' ? '' : UNKNOWN;
}
