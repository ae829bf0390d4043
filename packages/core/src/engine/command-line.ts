import { exportCode } from './environment.js';
import { quote } from './quote.js';

/**
 * One line of POSIX shell code, without its newline, that replaces the shell by `argv`, word for word, with these variables besides
 * its own and in this directory. For a place whose way of starting a process is a text for some shell: the line can travel as that
 * shell's input, where no argument list shows it.
 */
export function execLine(
  argv: readonly [string, ...string[]],
  options: { readonly env?: Readonly<Record<string, string>> | undefined; readonly cwd?: string | undefined } = {},
): string {
  const enter = options.cwd === undefined ? '' : `cd -- ${quote(options.cwd)} || exit 126; `;
  const code = `${enter}${exportCode(options.env ?? {})}exec ${argv.map(quote).join(' ')}`;
  return code.includes('$petasos_nl') ? `petasos_nl=$(printf '\\nx'); petasos_nl=\${petasos_nl%x}; ${code}` : code;
}
