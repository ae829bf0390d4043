import type { ExecResult } from '../../../src/sandbox/types.js';
import { type Animal, breakExec, breakSandbox } from '../animal.js';

/** Cuts a result off at the first line that looks like `word:status`. */
function cutAt(result: ExecResult, word: string): ExecResult {
  const match = new RegExp(`(?:^|\\n)${word}:(\\d+)\\n`).exec(result.stdout);
  if (match === null) throw new Error('the command ended without its marker');
  return { ...result, stdout: result.stdout.slice(0, match.index), exitCode: Number(match[1]) };
}

export const textAnimals: readonly Animal[] = [
  {
    name: 'breaks on a 200 KiB command',
    caughtBy: 'E1.200-kib',
    breakIt: breakExec((sandbox, command, options) => {
      if (command.length > 128 * 1024) throw new Error('spawn E2BIG');
      return sandbox.exec(command, options);
    }),
  },
  {
    name: 'breaks on an unterminated quote',
    caughtBy: 'E1.unterminated-quote',
    breakIt: breakExec(async (sandbox, command, options) =>
      cutAt(await sandbox.exec(`${command}\nprintf '\\npetasos_end:%s\\n' $?`, options), 'petasos_end'),
    ),
  },
  {
    name: 'believes a forged marker',
    caughtBy: 'E3.forged-end',
    breakIt: breakExec(async (sandbox, command, options) => {
      const word = `end_of_${Math.random().toString(36).slice(2)}`;
      const exit = `trap 'printf "\\n${word}:%s\\n" $?' EXIT`;
      const result = await sandbox.exec(`${exit}\n${command}`, options);
      return cutAt(result, word);
    }),
  },
  {
    name: 'takes a leading dash for an option',
    caughtBy: 'E1.leading-dash',
    breakIt: breakExec((sandbox, command, options) => sandbox.exec(command.startsWith('-') ? `bash ${command}` : command, options)),
  },
  {
    name: 'keeps state from command to command',
    caughtBy: 'E1.fresh-each-time',
    breakIt: breakSandbox((sandbox) => ({
      exec: async (command, options = {}) => {
        const { cwd, env, ...rest } = options;
        return cwd === undefined && env === undefined ? sandbox.shell('kept').exec(command, rest) : sandbox.exec(command, options);
      },
    })),
  },
  {
    name: 'reads the startup files of a shell',
    caughtBy: 'E1.no-startup-files',
    breakIt: breakExec((sandbox, command, options) => sandbox.exec(`test -f ~/.bashrc && . ~/.bashrc\n${command}`, options)),
  },
  {
    name: 'trims the command',
    caughtBy: 'E1.as-the-shell-does',
    breakIt: breakExec((sandbox, command, options) => sandbox.exec(command.replace(/[\s\\]+$/, ''), options)),
  },
  {
    name: 'hands an open file to every command',
    caughtBy: 'E3.inherited-files',
    breakIt: breakExec((sandbox, command, options) => sandbox.exec(`exec 7</dev/null\n${command}`, options)),
  },
  {
    name: 'runs a command up to its NUL',
    caughtBy: 'E1.nul',
    breakIt: breakExec((sandbox, command, options) => sandbox.exec(command.split('\0')[0] ?? '', options)),
  },
];
