import { spawn } from '@lydell/node-pty';
import { type DriverTerminal, ptyTerminal } from '@petasos/core/backend';
import xterm from '@xterm/headless';
import { readScreen, type Screen } from './screen.js';

export interface PlayerOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** A terminal with a program in it, and hands on its keyboard. What it "sees" is the screen as a person would see it. */
export class TerminalPlayer {
  readonly #terminal: xterm.Terminal;
  readonly #pty: DriverTerminal;
  readonly #hangUp: () => void;
  #ended = false;

  constructor(program: string, args: readonly string[], { cwd, env, columns = 80, rows = 34 }: PlayerOptions) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 0, allowProposedApi: true });
    const pty = spawn(program, [...args], { cols: columns, rows, cwd, env: { ...env, TERM: 'xterm-256color' }, encoding: null });
    this.#pty = ptyTerminal(pty);
    this.#hangUp = () => pty.kill('SIGHUP');
    this.#pty.output.on('data', (bytes: Buffer) => this.#terminal.write(bytes));
    // Programs ask the terminal where its cursor is; it answers through its keyboard.
    this.#terminal.onData((text) => this.#pty.input.write(text));
    this.#pty.output.once('end', () =>
      // Behind what is not on the screen yet.
      this.#terminal.write('', () => {
        this.#ended = true;
      }),
    );
  }

  /** Keys, as the terminal sends them: `\r` is Enter. */
  type(keys: string): void {
    this.#pty.input.write(keys);
  }

  screen(): Screen {
    return readScreen(this.#terminal);
  }

  /** Resolves once the screen shows it. @throws Error with the screen when it does not within the time */
  async sees(wanted: string | RegExp, withinMs = 120_000): Promise<Screen> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const screen = this.screen();
      if (typeof wanted === 'string' ? screen.text.includes(wanted) : wanted.test(screen.text)) return screen;
      if (this.#ended) throw new Error(`the program ended; waited for ${String(wanted)}, saw:\n${screen.text}`);
      if (Date.now() > deadline) throw new Error(`waited for ${String(wanted)}, saw:\n${screen.text}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Ends the program as a closed window does. */
  close(): void {
    if (!this.#ended) this.#hangUp();
    this.#terminal.dispose();
  }
}
