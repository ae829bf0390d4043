import { type AnyCommand, type CommandGroup, type Example, globalOptions, type OptionSpecs } from '../args/command.js';
import type { Style } from './style.js';
import { table } from './table.js';
import { wrap } from './wrap.js';

/** What help is printed on. */
export interface Page {
  readonly style: Style;
  /** Undefined: lines may have any length. */
  readonly columns: number | undefined;
}

export interface CommandSummary {
  readonly name: string;
  readonly summary: string;
}

function optionRows(specs: OptionSpecs): string[][] {
  return Object.entries(specs).map(([name, spec]) => {
    const short = spec.short === undefined ? '    ' : `-${spec.short}, `;
    return [`  ${short}--${name}${spec.type === 'string' ? ` ${spec.value ?? 'VALUE'}` : ''}`, spec.help];
  });
}

/** Lines that fit stay as they are: blanks in front of them are meant. */
function paragraph(text: string, { columns = Number.POSITIVE_INFINITY }: Page): string {
  return text
    .split('\n')
    .flatMap((line) => (line.length <= columns ? [line] : wrap(line, columns)))
    .join('\n');
}

function exampleLines(examples: readonly Example[], style: Style): string {
  return `\n${style.bold('Examples')}\n${examples.map(({ line, does }) => `  ${style.dim(`# ${does}`)}\n  ${line}\n`).join('')}`;
}

export function commandHelp(path: string, command: AnyCommand, page: Page): string {
  const { style, columns } = page;
  const details = command.details === undefined ? '' : `\n${paragraph(command.details, page)}\n`;
  const rows = table([...optionRows(command.options), ...optionRows(globalOptions)], columns);
  return (
    `${paragraph(command.summary, page)}\n\n${style.bold('Usage')}\n  petasos ${path} ${command.usage}\n${details}\n` +
    `${style.bold('Options')}\n${rows}${exampleLines(command.examples, style)}`
  );
}

export function groupHelp(group: CommandGroup, { style, columns }: Page): string {
  const rows = group.commands.map((command) => [`  ${command.name} ${command.usage}`.trimEnd(), command.summary]);
  return (
    `${group.summary}\n\n${style.bold('Usage')}\n  petasos ${group.name} COMMAND\n\n${style.bold('Commands')}\n${table(rows, columns)}` +
    `${exampleLines(group.examples, style)}\nMore: petasos ${group.name} COMMAND --help\n`
  );
}

export function mainHelp(commands: readonly CommandSummary[], { style, columns }: Page): string {
  const options = [...optionRows(globalOptions), ['      --version', 'print the version']];
  const rows = commands.map(({ name, summary }) => [`  ${name}`, summary]);
  const examples: Example[] = [
    { line: 'petasos run -- npm test', does: 'run a command in the configured place' },
    { line: 'petasos --sandbox docker where', does: 'see where commands would run, and what they could reach there' },
    { line: 'petasos config set sandbox docker', does: 'choose the place for good' },
  ];
  return (
    `Run commands where you decide, and see where that is.\n\n${style.bold('Usage')}\n  petasos [options] COMMAND …\n\n` +
    `${style.bold('Commands')}\n${table(rows, columns)}\n${style.bold('Options')}\n${table(options, columns)}` +
    `${exampleLines(examples, style)}\nMore: petasos COMMAND --help\n`
  );
}
