import type { CompletedCommand } from './words.js';

export function fishCompletion(commands: readonly CompletedCommand[], backends: readonly string[]): string {
  const tops = commands.filter(({ path }) => path.length === 1);
  const lines = ['# fish completion for petasos: petasos completion fish | source', 'complete -c petasos -f'];
  for (const { path, summary } of tops) lines.push(`complete -c petasos -n __fish_use_subcommand -a ${path[0]} -d ${quoted(summary)}`);
  const before = [
    `-l sandbox -s s -r -a ${quoted(backends.join(' '))} -d 'the place to use'`,
    "-l help -s h -d 'show the help'",
    "-l version -d 'print the version'",
    "-l verbose -d 'show what caused an error'",
  ];
  for (const option of before) lines.push(`complete -c petasos -n __fish_use_subcommand ${option}`);
  for (const { path, summary, options } of commands) {
    const [top = '', sub] = path;
    const subs = commands.filter((other) => other.path.length === 2 && other.path[0] === top).map((other) => other.path[1]);
    if (sub !== undefined) {
      const missing = `__fish_seen_subcommand_from ${top}; and not __fish_seen_subcommand_from ${subs.join(' ')}`;
      lines.push(`complete -c petasos -n ${quoted(missing)} -a ${sub} -d ${quoted(summary)}`);
    }
    const seen = `__fish_seen_subcommand_from ${top}${sub === undefined ? '' : `; and __fish_seen_subcommand_from ${sub}`}`;
    for (const { long, short, takesValue, help } of options) {
      const values = long === 'sandbox' ? ` -a ${quoted(backends.join(' '))}` : '';
      lines.push(
        `complete -c petasos -n ${quoted(seen)} -l ${long}${short === undefined ? '' : ` -s ${short}`}${takesValue ? ' -r' : ''}${values} -d ${quoted(help)}`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
