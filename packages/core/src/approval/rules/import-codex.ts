import { PetasosError } from '../../contract/errors.js';
import type { Verdict } from '../verdict.js';
import type { ForeignRule } from './import.js';
import type { WordPattern } from './pattern.js';

/**
 * The static part of a `*.rules` file: calls of `prefix_rule` and `host_executable` with literal texts and lists. Whatever
 * has to be computed is refused with its line, since a rule that is guessed is worse than none.
 */
export function parseCodexRules(text: string, name: string): readonly ForeignRule[] {
  const reader = new Reader(text, name);
  const rules: ForeignRule[] = [];
  for (let call = reader.call(); call !== undefined; call = reader.call()) {
    const { line, written, args } = call;
    if (call.name === 'host_executable') {
      rules.push({
        written,
        line,
        decision: 'ask',
        argv: undefined,
        refused: 'programs are not bound to paths: an allow rule matches a program only as it is written',
      });
    } else if (call.name === 'prefix_rule') {
      rules.push(prefixRule(args, written, line, reader));
    } else {
      throw reader.error(line, `${call.name} is not known: only prefix_rule and host_executable can be read`);
    }
  }
  return rules;
}

type Value = string | readonly Value[];

const decisions: Readonly<Record<string, Verdict>> = { allow: 'allow', prompt: 'ask', forbidden: 'deny' };
const known: readonly string[] = ['pattern', 'decision', 'justification', 'match', 'not_match'];

function prefixRule(args: ReadonlyMap<string, Value>, written: string, line: number, reader: Reader): ForeignRule {
  for (const key of args.keys()) if (!known.includes(key)) throw reader.error(line, `${key} is no argument of prefix_rule`);
  const pattern = args.get('pattern');
  if (!Array.isArray(pattern) || pattern.length === 0) throw reader.error(line, 'pattern must be a list of words');
  const argv: WordPattern[] = pattern.map((element: Value) => {
    if (typeof element === 'string') return plain(element);
    if (element.length === 0 || !isTexts(element)) throw reader.error(line, 'an alternative in pattern must be a list of words');
    return element.map(plain);
  });
  const decision = args.get('decision') ?? 'allow';
  const verdict = typeof decision === 'string' && Object.hasOwn(decisions, decision) ? decisions[decision] : undefined;
  if (verdict === undefined) throw reader.error(line, `decision is ${JSON.stringify(decision)}, expected allow, prompt or forbidden`);
  const justification = args.get('justification');
  if (justification !== undefined && typeof justification !== 'string') throw reader.error(line, 'justification must be a text');
  return {
    written,
    line,
    decision: verdict,
    argv: [...argv, '**'],
    ...(justification === undefined ? {} : { reason: justification }),
    match: examples(args.get('match'), 'match', line, reader),
    notMatch: examples(args.get('not_match'), 'not_match', line, reader),
    ...(args.has('decision') ? {} : { warning: 'it names no decision, which means allow' }),
  };
}

function examples(value: Value | undefined, key: string, line: number, reader: Reader): readonly string[] {
  if (value === undefined) return [];
  if (typeof value === 'string') throw reader.error(line, `${key} must be a list`);
  return value.map((example) => {
    if (typeof example === 'string') return example;
    if (!isTexts(example)) throw reader.error(line, `an example of ${key} must be a text or a list of words`);
    return example.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
  });
}

/** A star is a plain character there. */
function plain(word: string): string {
  return word.replaceAll('*', '\\*');
}

function isTexts(value: readonly Value[]): value is readonly string[] {
  return value.every((item) => typeof item === 'string');
}

interface Call {
  readonly name: string;
  readonly args: ReadonlyMap<string, Value>;
  readonly line: number;
  readonly written: string;
}

/** Reads literals and calls; comments and line ends between them do not matter. */
class Reader {
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly name: string,
  ) {}

  error(line: number, message: string): PetasosError {
    return new PetasosError('invalid-options', `${this.name}:${line}: ${message}`, {
      operation: 'approvals.import',
      remedy: 'Write the rule with literal texts and lists; nothing of the file was imported.',
      data: { path: this.name, line },
    });
  }

  call(): Call | undefined {
    this.#blanks();
    if (this.#at >= this.text.length) return undefined;
    const start = this.#at;
    const line = this.#line();
    const name = this.#identifier();
    if (name === undefined) throw this.error(line, 'expected prefix_rule(…)');
    if (!this.#skip('(')) throw this.error(line, `${name} is computed: only calls with literal texts and lists can be read`);
    const args = new Map<string, Value>();
    while (!this.#skip(')')) {
      const here = this.#line();
      const key = this.#identifier();
      if (key === undefined || !this.#skip('=')) throw this.error(here, 'expected an argument by name, such as pattern=["git"]');
      if (args.has(key)) throw this.error(here, `${key} is given twice`);
      args.set(key, this.#value(0));
      if (!this.#skip(',')) {
        if (this.#skip(')')) break;
        throw this.error(this.#line(), 'expected , or )');
      }
    }
    return { name, args, line, written: this.text.slice(start, this.#at).replace(/\s+/g, ' ').slice(0, 120) };
  }

  #value(depth: number): Value {
    this.#blanks();
    const line = this.#line();
    if (this.#skip('[')) {
      if (depth > 3) throw this.error(line, 'lists are nested too deeply');
      const items: Value[] = [];
      while (!this.#skip(']')) {
        items.push(this.#value(depth + 1));
        if (!this.#skip(',')) {
          if (this.#skip(']')) break;
          throw this.error(this.#line(), 'expected , or ]');
        }
      }
      return items;
    }
    const literal = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y;
    literal.lastIndex = this.#at;
    const [found] = literal.exec(this.text) ?? [];
    if (found === undefined) throw this.error(line, 'expected a text in quotes or a list: what has to be computed cannot be read');
    this.#at += found.length;
    return found.slice(1, -1).replace(/\\(.)/g, (sequence, character: string) => {
      const value = escapes[character];
      if (value === undefined) throw this.error(line, `${sequence} is not understood`);
      return value;
    });
  }

  #identifier(): string | undefined {
    this.#blanks();
    const identifier = /[A-Za-z_][A-Za-z0-9_]*/y;
    identifier.lastIndex = this.#at;
    const [found] = identifier.exec(this.text) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }

  #skip(character: string): boolean {
    this.#blanks();
    if (this.text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #blanks(): void {
    const blanks = /(?:\s+|#[^\n]*)*/y;
    blanks.lastIndex = this.#at;
    this.#at += blanks.exec(this.text)?.[0].length ?? 0;
  }

  #line(): number {
    return this.text.slice(0, this.#at).split('\n').length;
  }
}

const escapes: Readonly<Record<string, string | undefined>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'" };
