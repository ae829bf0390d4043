import { parseArgs } from 'node:util';
import { UsageError } from '../ui/errors.js';
import { nearest } from '../ui/nearest.js';
import type { OptionSpecs } from './command.js';

export type RawValue = string | boolean | string[];

export interface Parsed {
  /** Only the options that were given. */
  readonly given: ReadonlyMap<string, RawValue>;
  readonly words: readonly string[];
}

/**
 * Reads options and words. With `wordsEndOptions` the first word or `--` ends the options, so that what follows reaches
 * the command that is run untouched, its own `--` included.
 * @throws UsageError for an unknown option, a missing value, a value that is not wanted, or an option given twice.
 */
export function parseOptions(args: readonly string[], specs: OptionSpecs, wordsEndOptions: boolean): Parsed {
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [name, { type: spec.type, ...(spec.short === undefined ? {} : { short: spec.short }) }]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<string, RawValue>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'option-terminator') {
      if (wordsEndOptions) return { given, words: args.slice(token.index + 1) };
    } else if (token.kind === 'positional') {
      if (wordsEndOptions) return { given, words: args.slice(token.index) };
      words.push(token.value);
    } else {
      take(given, specs, token.name, token.rawName, token.value);
    }
  }
  return { given, words };
}

function take(given: Map<string, RawValue>, specs: OptionSpecs, name: string, rawName: string, value: string | undefined): void {
  const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
  if (spec === undefined) throw unknownOption(rawName, specs);
  if (spec.type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    given.set(name, true);
    return;
  }
  if (value === undefined) throw new UsageError(`${rawName} needs a value`, `Write ${rawName} ${spec.value ?? 'VALUE'}.`);
  const before = given.get(name);
  if (spec.multiple === true) {
    given.set(name, Array.isArray(before) ? [...before, value] : [value]);
  } else if (before !== undefined) {
    throw new UsageError(`${rawName} is given twice`);
  } else {
    given.set(name, value);
  }
}

function unknownOption(rawName: string, specs: OptionSpecs): UsageError {
  const close = rawName.startsWith('--') ? nearest(rawName.slice(2), Object.keys(specs)) : undefined;
  return new UsageError(`unknown option ${rawName}`, close === undefined ? 'See --help.' : `Did you mean --${close}?`);
}

/** Every option of `specs` with its value, absent ones as `false`, `[]` or undefined. */
export function complete(given: ReadonlyMap<string, RawValue>, specs: OptionSpecs): Record<string, RawValue | undefined> {
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [
      name,
      given.get(name) ?? (spec.type === 'boolean' ? false : spec.multiple === true ? [] : undefined),
    ]),
  );
}
