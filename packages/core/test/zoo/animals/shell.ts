import type { Sandbox, Shell, ShellExecOptions, ShellResult } from '../../../src/sandbox/types.js';
import { type Animal, breakSandbox } from '../animal.js';
import { breakShell, rewriteShell } from '../parts.js';

/** A session that is swapped for a fresh one whenever a result is like this. */
const swapsAfter = (lost: (result: ShellResult) => boolean) =>
  breakShell((shell, sandbox) => {
    let current = shell;
    let count = 0;
    return {
      exec: async (command, options) => {
        const result = await current.exec(command, options);
        if (lost(result)) current = sandbox.shell(`${shell.name}-${count++}`);
        return result;
      },
    };
  });

const alters = (alter: (result: ShellResult) => Partial<ShellResult>) =>
  breakShell((shell) => ({
    exec: async (command, options) => {
      const result = await shell.exec(command, options);
      return { ...result, stdout: result.stdout, stderr: result.stderr, ...alter(result) };
    },
  }));

/** A result of a plain command, dressed up as one of a session. */
async function plain(sandbox: Sandbox, command: string, options?: ShellExecOptions): Promise<ShellResult> {
  const result = await sandbox.exec(command, options);
  return { ...result, stdout: result.stdout, stderr: result.stderr, cwd: '/', restarted: false, cwdFallback: undefined };
}

const inTurn = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
};

export const shellAnimals: readonly Animal[] = [
  { name: 'loses a session’s cwd', caughtBy: 'S1.cwd', breakIt: rewriteShell((command) => `cd /\n${command}`) },
  {
    name: 'runs each command of a session in a new shell',
    caughtBy: 'S1.variables',
    breakIt: breakShell((_, sandbox) => ({ exec: (command, options) => plain(sandbox, command, options) })),
  },
  {
    name: 'loses a session’s functions',
    caughtBy: 'S1.functions',
    breakIt: rewriteShell((command) => `for f in $(compgen -A function | grep -v petasos); do unset -f "$f"; done\n${command}`),
  },
  { name: 'loses a session’s aliases', caughtBy: 'S1.aliases', breakIt: rewriteShell((command) => `unalias -a\n${command}`) },
  { name: 'loses a session’s options', caughtBy: 'S1.options', breakIt: rewriteShell((command) => `set +f +u\n${command}`) },
  { name: 'loses a session’s umask', caughtBy: 'S1.umask', breakIt: rewriteShell((command) => `umask 022\n${command}`) },
  { name: 'traces its own commands', caughtBy: 'S1.trace', breakIt: rewriteShell((command) => `: housekeeping\n${command}`) },
  {
    name: 'resolves the symlinks of a session’s cwd',
    caughtBy: 'S1.cwd-symlink',
    breakIt: rewriteShell((command) => `cd -P .\n${command}`),
  },
  {
    name: 'exports every variable of a session',
    caughtBy: 'S1.variables',
    breakIt: rewriteShell((command) => `set -a\n${command}`),
  },
  { name: 'loses what a command did before its exit', caughtBy: 'S2.exit', breakIt: rewriteShell((command) => `(${command}\n)`) },
  {
    name: 'loses the session at an exit status that is not 0',
    caughtBy: 'S2.exit-function',
    breakIt: swapsAfter((result) => result.ended === 'exited' && result.exitCode !== 0),
  },
  { name: 'loses the session at a timeout', caughtBy: 'S3.timeout', breakIt: swapsAfter((result) => result.ended === 'timed-out') },
  { name: 'loses the session at an abort', caughtBy: 'S3.abort', breakIt: swapsAfter((result) => result.ended === 'aborted') },
  { name: 'loses the session with its shell', caughtBy: 'S3.killed-shell', breakIt: swapsAfter((result) => result.ended === 'signaled') },
  { name: 'always says that it restarted', caughtBy: 'S3.not-restarted', breakIt: alters(() => ({ restarted: true })) },
  {
    name: 'is bricked by a deleted cwd',
    caughtBy: 'S4.deleted-cwd',
    breakIt: alters(({ cwdFallback }) => (cwdFallback === undefined ? {} : { exitCode: 1, stdout: '', stderr: 'getcwd failed' })),
  },
  { name: 'hides that the cwd was gone', caughtBy: 'S4.own-deletion', breakIt: alters(() => ({ cwdFallback: undefined })) },
  {
    name: 'has one session for all names',
    caughtBy: 'S5.independent',
    breakIt: breakSandbox((sandbox) => ({ shell: (_, options) => sandbox.shell('one', options) })),
  },
  {
    name: 'keeps a command waiting for its turn that is aborted',
    caughtBy: 'S5.gives-up',
    breakIt: breakShell((shell) => {
      const turn = inTurn();
      return { exec: (command, options) => turn(() => shell.exec(command, options)) };
    }),
  },
  {
    name: 'makes a new session each time a name is used',
    caughtBy: 'S5.same-name',
    breakIt: breakSandbox((sandbox) => {
      let count = 0;
      return { shell: (name, options) => sandbox.shell(`${name}-${count++}`, options) };
    }),
  },
  {
    name: 'runs the commands of a session all at once',
    caughtBy: 'S5.order',
    breakIt: breakShell((shell, sandbox) => {
      let count = 0;
      return { exec: (command, options) => sandbox.shell(`${shell.name}-${count++}`).exec(command, options) };
    }),
  },
  {
    name: 'has one queue for all sessions',
    caughtBy: 'S5.independent',
    breakIt: (healthy) => {
      const queue = inTurn();
      return breakShell((shell: Shell) => ({ exec: (command, options) => queue(() => shell.exec(command, options)) }))(healthy);
    },
  },
  {
    name: 'opens a closed session again',
    caughtBy: 'S5.closed',
    breakIt: breakShell((shell, sandbox) => {
      let current = shell;
      return {
        exec: (command, options) => current.exec(command, options),
        close: async () => {
          await current.close();
          current = sandbox.shell(`${shell.name}-again`);
        },
      };
    }),
  },
];
