import { spawn } from '@lydell/node-pty';
import { ptyTerminal } from '@petasos/core/backend';
import { onTestFinished } from 'vitest';
import { mainModule, type Person } from './petasos.js';

export interface Screen {
  write(text: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves once the text has appeared after everything that was seen before. */
  sees(text: string | RegExp): Promise<string>;
  readonly status: Promise<number>;
}

/** A person's terminal with a shell in which `petasos` is a command. */
export function terminalOf(me: Person, script: string, env: Readonly<Record<string, string>> = {}, cols = 100, rows = 30): Screen {
  const pty = spawn('bash', ['--norc', '--noprofile', '-c', `petasos() { "${process.execPath}" "${mainModule()}" "$@"; }; ${script}`], {
    cols,
    rows,
    cwd: me.work,
    env: { ...me.env, TERM: 'xterm-256color', ...env },
    encoding: null,
  });
  const terminal = ptyTerminal(pty);
  let unseen = '';
  const waiting = new Set<() => void>();
  terminal.output.setEncoding('utf8').on('data', (text: string) => {
    unseen += text;
    for (const look of waiting) look();
  });
  const status = terminal.exited.then(({ exitCode }) => exitCode ?? 0);
  onTestFinished(() => {
    try {
      pty.kill('SIGKILL');
    } catch {
      // It has ended by itself.
    }
  });
  return {
    write: (text) => void terminal.input.write(text),
    resize: terminal.resize,
    sees: (text) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`waited for ${String(text)}, saw ${JSON.stringify(unseen)}`));
        }, 20_000);
        const look = () => {
          const match = typeof text === 'string' ? unseen.indexOf(text) : unseen.search(text);
          if (match === -1) return;
          const length = typeof text === 'string' ? text.length : (text.exec(unseen)?.[0].length ?? 0);
          const seen = unseen.slice(0, match + length);
          unseen = unseen.slice(match + length);
          clearTimeout(timer);
          waiting.delete(look);
          resolve(seen);
        };
        waiting.add(look);
        look();
      }),
    status,
  };
}
