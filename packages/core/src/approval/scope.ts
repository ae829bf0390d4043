import { limits } from './limits.js';
import { UNKNOWN } from './marks.js';
import { contains } from './paths.js';

/** What a variable can hold: one of several texts, a list, or the name of another variable. */
export type Value =
  | { readonly kind: 'scalar'; readonly alternatives: readonly string[] }
  | { readonly kind: 'array'; readonly elements: readonly string[] }
  | { readonly kind: 'reference'; readonly name: string }
  | { readonly kind: 'unset' };

export const scalar = (...alternatives: string[]): Value => ({ kind: 'scalar', alternatives });
export const unknownValue: Value = scalar(UNKNOWN);

/** Syntax of a function body, kept opaque here. */
export type Body = object;

/**
 * State of a shell at one point: variables, directory, functions, aliases, positional parameters. A child sees its parent and writes only
 * to itself: a subshell is a child that is dropped, a branch a child that is joined.
 */
export class Scope {
  readonly #variables = new Map<string, Value>();
  readonly #functions = new Map<string, Body>();
  readonly #aliases = new Map<string, string>();
  readonly #integers = new Set<string>();
  #forgotten = false;
  #cwd: string | undefined;
  #positional: readonly string[] | undefined;
  aliasesExpand: boolean;
  lastPath: string | undefined;
  /** Another shell process: it sees of its parent's variables only those that are exported. */
  ownProcess = false;
  /** On another machine or in a container: which files lie there cannot be known here. */
  elsewhere: boolean;
  /** Directories of the machine that a container sees, `[inside, outside]`; undefined where nothing lies between. */
  mounts: readonly (readonly [string, string])[] | undefined;

  constructor(
    readonly parent: Scope | undefined,
    cwd: string | undefined,
    positional: readonly string[] | undefined,
  ) {
    this.#cwd = cwd;
    this.#positional = positional;
    this.aliasesExpand = parent?.aliasesExpand ?? false;
    this.lastPath = parent?.lastPath;
    this.mounts = parent?.mounts;
    this.elsewhere = parent?.elsewhere ?? false;
  }

  child(): Scope {
    return new Scope(this, this.#cwd, this.#positional);
  }

  /** The path on the machine of a path inside of a container. What is not shared lies in a place without a known path. */
  outside(path: string): string {
    if (!this.mounts) return path;
    for (const [inside, outside] of this.mounts) {
      if (!contains(inside, path)) continue;
      const rest = inside === '/' ? path : path.slice(inside.length);
      return outside === '/' ? rest || '/' : outside + rest;
    }
    return `${UNKNOWN}${path}`;
  }

  /** Absolute directory, undefined when unknown. */
  get cwd(): string | undefined {
    return this.#cwd;
  }

  changeDirectory(path: string | undefined): void {
    this.lastPath = this.#cwd;
    this.#cwd = path;
  }

  get positional(): readonly string[] | undefined {
    return this.#positional;
  }

  setPositional(values: readonly string[] | undefined): void {
    this.#positional = values;
  }

  /** The value that the text itself gave; undefined when it gave none, `unset` when it took it away. */
  get(name: string): Value | undefined {
    const found = this.raw(name);
    if (found?.kind !== 'reference') return found;
    return found.name === name ? unknownValue : this.#follow(found.name);
  }

  #follow(name: string): Value | undefined {
    for (let hops = 0, target = name; hops < 8; hops++) {
      const value = this.raw(target);
      if (value?.kind !== 'reference') return value;
      target = value.name;
    }
    return unknownValue;
  }

  /** As `get`, without following a reference. */
  raw(name: string): Value | undefined {
    let outside = false;
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) {
      const value = scope.#variables.get(name);
      if (value) return outside ? maybe(value) : value;
      if (scope.#forgotten) return unknownValue;
      if (scope.ownProcess) outside = true;
    }
    return undefined;
  }

  set(name: string, value: Value): void {
    const target = this.raw(name);
    const destination = target?.kind === 'reference' && value.kind !== 'reference' ? target.name : name;
    this.#variables.set(destination, bounded(value));
  }

  /** After code of unknown effect: every variable may have changed. */
  forget(): void {
    this.#variables.clear();
    this.#forgotten = true;
  }

  names(prefix: string): string[] {
    const names = new Set<string>();
    for (let scope: Scope | undefined = this; scope; scope = scope.parent)
      for (const name of scope.#variables.keys()) if (name.startsWith(prefix)) names.add(name);
    return [...names];
  }

  defineFunction(name: string, body: Body): void {
    this.#functions.set(name, body);
  }

  function(name: string): Body | undefined {
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) {
      const body = scope.#functions.get(name);
      if (body) return body;
    }
    return undefined;
  }

  /** What is assigned to it later is evaluated as arithmetic. */
  declareInteger(name: string): void {
    this.#integers.add(name);
  }

  isInteger(name: string): boolean {
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) if (scope.#integers.has(name)) return true;
    return false;
  }

  defineAlias(name: string, text: string): void {
    this.#aliases.set(name, text);
  }

  alias(name: string): string | undefined {
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) {
      const text = scope.#aliases.get(name);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** Takes over what a child did that runs in this same shell and whose parts may or may not have run. */
  join(children: readonly Scope[]): void {
    const names = new Set<string>();
    for (const child of children) for (const name of child.#variables.keys()) names.add(name);
    for (const name of names) {
      const values = children.map((child) => child.#variables.get(name) ?? this.raw(name));
      this.#variables.set(name, bounded(union(values)));
    }
    for (const child of children) {
      for (const [name, body] of child.#functions) this.#functions.set(name, body);
      for (const [name, text] of child.#aliases) this.#aliases.set(name, text);
      if (child.#forgotten) this.#forgotten = true;
      if (child.aliasesExpand) this.aliasesExpand = true;
    }
    const first = children[0];
    if (!first) return;
    if (children.some((child) => child.#cwd !== first.#cwd)) this.changeDirectory(undefined);
    else if (first.#cwd !== this.#cwd) this.changeDirectory(first.#cwd);
    const positional = first.#positional;
    this.#positional = children.every((child) => child.#positional === positional) ? positional : undefined;
  }

  /** True when a joined child would change something that a loop's next round sees. */
  get changed(): boolean {
    return this.#variables.size > 0 || this.#cwd !== this.parent?.cwd;
  }
}

/** What a variable of another process is here: its value where it is exported, nothing where it is not. */
function maybe(value: Value): Value {
  return value.kind === 'scalar' ? { kind: 'scalar', alternatives: [...value.alternatives, ''] } : { kind: 'unset' };
}

function bounded(value: Value): Value {
  if (value.kind === 'scalar') {
    const distinct = [...new Set(value.alternatives)].map((text) => (text.length > limits.word ? UNKNOWN : text));
    return { kind: 'scalar', alternatives: distinct.length > limits.alternatives ? [UNKNOWN] : distinct };
  }
  if (value.kind === 'array' && value.elements.length > limits.words) return unknownValue;
  return value;
}

function union(values: readonly (Value | undefined)[]): Value {
  const alternatives: string[] = [];
  for (const value of values) {
    if (value?.kind === 'scalar') alternatives.push(...value.alternatives);
    else if (value?.kind === 'unset') alternatives.push('');
    else if (value?.kind === 'array' && values.every((other) => other === value)) return value;
    else alternatives.push(UNKNOWN);
  }
  return { kind: 'scalar', alternatives };
}
