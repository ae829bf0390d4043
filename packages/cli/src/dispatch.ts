import { type AnyCommand, type CommandGroup, globalOptions, type OptionSpecs } from './args/command.js';
import { complete, parseOptions, type RawValue } from './args/parse.js';
import { commands, loadCommand } from './commands/index.js';
import { watchBrokenPipes } from './session/broken-pipe.js';
import { createContext } from './session/context.js';
import { UsageError } from './ui/errors.js';
import { exitStatus } from './ui/exit-status.js';
import type { Page } from './ui/help.js';
import { nearest } from './ui/nearest.js';
import { styleFor } from './ui/style.js';
import { widthOf } from './ui/width.js';

const leadingOptions = {
  ...globalOptions,
  json: { type: 'boolean', help: '' },
  version: { type: 'boolean', help: '' },
} as const satisfies OptionSpecs;

/** Runs one command line and ends the process with its status, once everything that was written has left. */
export async function dispatch(args: readonly string[], version: string): Promise<void> {
  watchBrokenPipes();
  const { promise: failure, reject } = withRejection();
  // What a backend lets slip past every promise is told like any other error, not as a stack trace.
  process.on('uncaughtException', reject);
  let status: number;
  try {
    status = await Promise.race([interpret(args, version), failure]);
  } catch (error) {
    const { reportError } = await import('./ui/report-error.js');
    status = reportError(createContext(flagsSeen(args)), error);
  }
  await flushed(process.stdout);
  await flushed(process.stderr);
  process.exit(status);
}

function withRejection(): { readonly promise: Promise<never>; readonly reject: (error: unknown) => void } {
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  promise.catch(() => undefined);
  return { promise, reject };
}

async function interpret(args: readonly string[], version: string): Promise<number> {
  const leading = parseOptions(args, leadingOptions, true);
  if (leading.given.has('version')) {
    process.stdout.write(`${version}\n`);
    return exitStatus.ok;
  }
  const [first, ...rest] = leading.words;
  if (first === undefined || first === 'help') return showHelp(rest);
  const entry = commands.find(({ name }) => name === first);
  if (entry === undefined)
    throw unknownCommand(
      first,
      commands.map(({ name }) => name),
    );
  const loaded = await loadCommand(entry);
  if (loaded.kind === 'command') return runCommand(first, loaded, leading.given, rest);
  return runGroup(loaded, leading.given, rest);
}

async function runGroup(group: CommandGroup, leading: ReadonlyMap<string, RawValue>, args: readonly string[]): Promise<number> {
  const own = parseOptions(args, leadingOptions, true);
  const [first, ...rest] = own.words;
  if (first === undefined && (own.given.has('help') || leading.has('help'))) return showHelp([group.name]);
  if (first === undefined) {
    throw new UsageError(`${group.name} needs to know what to do`, `One of: ${group.commands.map(({ name }) => name).join(', ')}.`);
  }
  const command = group.commands.find(({ name }) => name === first);
  if (command === undefined)
    throw unknownCommand(
      `${group.name} ${first}`,
      group.commands.map(({ name }) => `${group.name} ${name}`),
    );
  return runCommand(`${group.name} ${first}`, command, new Map([...leading, ...own.given]), rest);
}

async function runCommand(
  path: string,
  command: AnyCommand,
  leading: ReadonlyMap<string, RawValue>,
  args: readonly string[],
): Promise<number> {
  const specs: OptionSpecs = { ...globalOptions, ...command.options };
  const { given, words } = parseOptions(args, specs, command.wordsEndOptions === true);
  const all = new Map([...leading, ...given]);
  if (all.has('help')) {
    const { commandHelp } = await import('./ui/help.js');
    process.stdout.write(commandHelp(path, command, page()));
    return exitStatus.ok;
  }
  if (leading.has('json') && !Object.hasOwn(specs, 'json')) throw new UsageError(`${path} does not print JSON`);
  const [least, most] = command.words;
  if (words.length < least || words.length > most) {
    throw new UsageError(
      words.length < least ? `${path}: something is missing` : `${path}: too many words: ${words.slice(most).join(' ')}`,
      `Usage: petasos ${path} ${command.usage}`,
    );
  }
  const context = createContext({ ...globalFlags(all), allCommands: () => Promise.all(commands.map(loadCommand)) });
  // Each command takes exactly the values that its own options describe; only here are they put together.
  return command.run(context, complete(all, command.options) as never, words);
}

async function showHelp(words: readonly string[]): Promise<number> {
  const help = await import('./ui/help.js');
  const [name, sub] = words;
  const entry = commands.find((command) => command.name === name);
  if (name !== undefined && entry === undefined)
    throw unknownCommand(
      name,
      commands.map((command) => command.name),
    );
  const loaded = entry && (await loadCommand(entry));
  if (loaded === undefined) process.stdout.write(help.mainHelp(commands, page()));
  else if (loaded.kind === 'command') process.stdout.write(help.commandHelp(loaded.name, loaded, page()));
  else {
    const command = loaded.commands.find((candidate) => candidate.name === sub);
    process.stdout.write(
      command === undefined ? help.groupHelp(loaded, page()) : help.commandHelp(`${loaded.name} ${command.name}`, command, page()),
    );
  }
  return exitStatus.ok;
}

function page(): Page {
  return { style: styleFor(process.stdout, process.env), columns: widthOf(process.stdout) };
}

function unknownCommand(name: string, known: readonly string[]): UsageError {
  const close = nearest(name, known);
  return new UsageError(
    `there is no command ${JSON.stringify(name)}`,
    close === undefined ? 'petasos --help lists the commands.' : `Did you mean petasos ${close}?`,
  );
}

function globalFlags(given: ReadonlyMap<string, RawValue>): { sandbox: string | undefined; verbose: boolean; json: boolean } {
  const sandbox = given.get('sandbox');
  return { sandbox: typeof sandbox === 'string' ? sandbox : undefined, verbose: given.has('verbose'), json: given.has('json') };
}

/** How an error is to be told, when the command line itself may be what is wrong. */
function flagsSeen(args: readonly string[]): { sandbox: undefined; verbose: boolean; json: boolean } {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  return { sandbox: undefined, verbose: own.includes('--verbose'), json: own.includes('--json') };
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
