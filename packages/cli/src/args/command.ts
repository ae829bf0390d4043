import type { Context } from '../session/context.js';

export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** What stands for the value in the help, such as `DIR`. */
  readonly value?: string;
  readonly help: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type ValueOf<Spec extends OptionSpec> = Spec['type'] extends 'boolean'
  ? boolean
  : Spec extends { readonly multiple: true }
    ? readonly string[]
    : string | undefined;

export type OptionValues<Specs extends OptionSpecs> = { readonly [Name in keyof Specs]: ValueOf<Specs[Name]> };

export interface Example {
  readonly line: string;
  readonly does: string;
}

/** One command, or one subcommand of a group. Help and completions are made from this data alone. */
export interface Command<Specs extends OptionSpecs = OptionSpecs> {
  readonly kind: 'command';
  readonly name: string;
  readonly summary: string;
  /** What follows the name, such as `[options] -- CMD…`. */
  readonly usage: string;
  readonly details?: string;
  readonly options: Specs;
  /** Least and most words besides options. */
  readonly words: readonly [number, number];
  /** The first word ends the options: what follows belongs to the command that is run. */
  readonly wordsEndOptions?: boolean;
  readonly examples: readonly Example[];
  run(context: Context, values: OptionValues<Specs>, words: readonly string[]): Promise<number>;
}

export interface CommandGroup {
  readonly kind: 'group';
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly AnyCommand[];
  readonly examples: readonly Example[];
}

/** A command whose option types only its own module knows. */
export type AnyCommand = Omit<Command, 'run'> & {
  run(context: Context, values: never, words: readonly string[]): Promise<number>;
};

export function defineCommand<const Specs extends OptionSpecs>(command: Omit<Command<Specs>, 'kind'>): Command<Specs> {
  return { kind: 'command', ...command };
}

export function defineGroup(group: Omit<CommandGroup, 'kind'>): CommandGroup {
  return { kind: 'group', ...group };
}

/** Understood by every command, before or after its name. */
export const globalOptions = {
  sandbox: { type: 'string', short: 's', value: 'BACKEND', help: 'the place to use, such as docker; default: the configured one' },
  verbose: { type: 'boolean', help: 'show what caused an error' },
  help: { type: 'boolean', short: 'h', help: 'show this help' },
} as const satisfies OptionSpecs;

/** Shared by commands that print data. */
export const jsonOption = { type: 'boolean', help: 'print JSON' } as const satisfies OptionSpec;

/** Shared by commands that work in one sandbox. */
export const nameOption = { type: 'string', value: 'NAME', help: 'the sandbox to use; default: "default"' } as const satisfies OptionSpec;
