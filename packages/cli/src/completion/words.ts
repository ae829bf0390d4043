import type { AnyCommand, CommandGroup, OptionSpecs } from '../args/command.js';
import { globalOptions } from '../args/command.js';

/** One command line as far as completion knows it. */
export interface CompletedCommand {
  /** `run`, or `config set`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly options: readonly CompletedOption[];
}

export interface CompletedOption {
  readonly long: string;
  readonly short: string | undefined;
  readonly takesValue: boolean;
  readonly help: string;
}

/** Everything that can be completed, from the same data that the help is made of. */
export function completedCommands(all: readonly (AnyCommand | CommandGroup)[]): readonly CompletedCommand[] {
  return all.flatMap((entry): CompletedCommand[] => {
    if (entry.kind === 'command') return [{ path: [entry.name], summary: entry.summary, options: optionsOf(entry.options) }];
    const subcommands = entry.commands.map(({ name, summary, options }) => ({
      path: [entry.name, name],
      summary,
      options: optionsOf(options),
    }));
    return [{ path: [entry.name], summary: entry.summary, options: optionsOf({}) }, ...subcommands];
  });
}

function optionsOf(specs: OptionSpecs): readonly CompletedOption[] {
  const all: OptionSpecs = { ...specs, ...globalOptions };
  return Object.entries(all).map(([name, { type, short, help }]) => ({
    long: name,
    short,
    takesValue: type === 'string',
    help,
  }));
}
