import { canMatch, hasGlob } from './marks.js';
import type { Arg } from './word.js';
import { argument } from './word.js';

/** How a program reads its options. */
export interface OptionTable {
  /** Options that take a value, separated by blanks: `-n --lines`. */
  readonly values?: string | undefined;
  /** Long options whose name is the beginning of another one's: written so, they are themselves and no abbreviation. */
  readonly complete?: string | undefined;
  /** The program accepts no abbreviated options at all. */
  readonly exact?: boolean | undefined;
  /** `gnu`: short ones bundle, long ones have two dashes. `words`: one dash and a whole word, as in `find` and `go`. `none`: all words are operands. */
  readonly style?: 'gnu' | 'words' | 'none' | undefined;
  /** Options end at the first operand: wrappers, and programs with subcommands whose options differ. */
  readonly stop?: boolean | undefined;
}

export interface Option {
  /** As written, without value: `--force`, `-f`. */
  readonly name: string;
  readonly value: Arg | undefined;
  /** The name stands for itself and abbreviates no longer one. */
  readonly exact: boolean;
  /** Index of its word among the arguments. */
  readonly index: number;
}

export interface ParsedOptions {
  readonly options: readonly Option[];
  readonly operands: readonly Arg[];
  /** Index among the arguments where operands begin when the table stops at the first one. */
  readonly rest: number;
}

const tables = new Map<string, ReadonlySet<string>>();

function valueNames(values: string | undefined): ReadonlySet<string> {
  const key = values ?? '';
  let set = tables.get(key);
  if (!set) {
    set = new Set(key.split(/\s+/).filter(Boolean));
    tables.set(key, set);
  }
  return set;
}

/** Reads options as getopt does: bundles, attached values, `--opt=value`, abbreviations, `--`. */
export function parseOptions(args: readonly Arg[], table: OptionTable = {}): ParsedOptions {
  const values = valueNames(table.values);
  const complete = valueNames(table.complete);
  const options: Option[] = [];
  const operands: Arg[] = [];
  if (table.style === 'none') return { options, operands: args, rest: 0 };
  let index = 0;
  for (; index < args.length; index++) {
    const arg = args[index] as Arg;
    const raw = arg.raw;
    if (raw === '--') {
      if (table.stop) return { options, operands: args.slice(index + 1), rest: index + 1 };
      operands.push(...args.slice(index + 1));
      return { options, operands, rest: args.length };
    }
    if (raw.length < 2 || (raw[0] !== '-' && !(raw[0] === '+' && values.has('+O') && /^\+[A-Za-z]/.test(raw)))) {
      if (table.stop) return { options, operands: args.slice(index), rest: index };
      operands.push(arg);
      continue;
    }
    const long = raw.startsWith('--') || table.style === 'words';
    if (long) {
      const equals = raw.indexOf('=');
      const name = equals < 0 ? raw : raw.slice(0, equals);
      const exact = table.exact === true || complete.has(name);
      if (equals >= 0) options.push({ name, value: argument(raw.slice(equals + 1)), exact, index });
      else if ((values.has(name) || (!exact && takesValue(name, values))) && index + 1 < args.length)
        options.push({ name, value: args[++index], exact, index: index - 1 });
      else options.push({ name, value: undefined, exact, index });
      continue;
    }
    index = shortOptions(args, index, values, options);
  }
  return { options, operands, rest: index };
}

function shortOptions(args: readonly Arg[], index: number, values: ReadonlySet<string>, options: Option[]): number {
  const raw = (args[index] as Arg).raw;
  if (/^-\d+$/.test(raw)) {
    options.push({ name: raw, value: undefined, exact: true, index });
    return index;
  }
  for (let at = 1; at < raw.length; at++) {
    const name = raw[0] + (raw[at] as string);
    if (!values.has(name)) {
      options.push({ name, value: undefined, exact: true, index });
      continue;
    }
    const attached = raw.slice(at + 1);
    if (attached) options.push({ name, value: argument(attached), exact: true, index });
    else if (index + 1 < args.length) {
      options.push({ name, value: args[index + 1], exact: true, index });
      return index + 1;
    } else options.push({ name, value: undefined, exact: true, index });
    return index;
  }
  return index;
}

function takesValue(name: string, values: ReadonlySet<string>): boolean {
  if (!name.startsWith('--') || name.length < 4) return false;
  for (const value of values) if (value.startsWith(name)) return true;
  return false;
}

/**
 * Whether an option as written means the option `wanted`. GNU programs and git accept every unambiguous beginning of a long name, and a
 * wildcard can match a file that is named like an option.
 */
export function means(written: string, wanted: string): boolean {
  if (written === wanted) return true;
  if (written.startsWith('--') && wanted.startsWith('--') && written.length >= 5 && wanted.startsWith(written)) return true;
  return hasGlob(written) && wanted.startsWith('-') && canMatch(written, wanted);
}

/** Whether a given option is the one that is wanted, under any name that its program accepts. */
export const matches = (option: Option, wanted: string): boolean =>
  option.exact && !hasGlob(option.name) ? option.name === wanted : means(option.name, wanted);
