import { PassThrough, Writable } from 'node:stream';
import { clearLine, InputLines, type InputPiece } from '../approval/gate/input-lines.js';
import { type DriverTerminal, isPetasosError, type TerminalRequest, unsupported } from '../contract/index.js';
import { shellArguments } from '../engine/message.js';
import { admit, resolveDirectory, type SandboxCore, withoutOutput } from './core.js';
import { checkOptions } from './requests.js';
import type { Terminal, TerminalOptions } from './types.js';

/** A person's terminal in the sandbox. Its first command and every line typed into it pass the gate. */
export async function openTerminal(core: SandboxCore, options: TerminalOptions = {}): Promise<Terminal> {
  checkOptions('terminal', options);
  const { driver } = core;
  if (!driver.terminal) throw unsupported(core.backend.name, 'terminal', 'terminal');
  const facts = await core.runner.facts();
  const shell = facts.bash ?? '/bin/sh';
  const cwd = await resolveDirectory(core, options.cwd);
  const env = { TERM: 'xterm-256color', ...core.env, ...options.env };
  const command = options.command ?? shell;
  const pass = await admit(core, { operation: 'terminal', command, cwd, env: options.env });
  const startedAt = core.now();
  const argv: TerminalRequest['argv'] =
    options.command === undefined ? [shell, ...(facts.bash ? ['-l'] : [])] : [...shellArguments(facts.bash), '-c', options.command];
  const { columns = 80, rows = 24 } = options;
  const terminal = await driver.terminal({ argv, columns, rows, cwd, env }).catch((error: unknown) => {
    pass.ended(withoutOutput('failed', core.now() - startedAt));
    throw error;
  });
  let bytes = 0;
  const output = terminal.output.pipe(new PassThrough());
  terminal.output.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const exited = terminal.exited.then(
    (exit) => ({
      ended: exit.signal ? ('signaled' as const) : ('exited' as const),
      exitCode: exit.exitCode,
      signal: exit.signal ?? null,
      durationMs: core.now() - startedAt,
    }),
    () => ({ ended: 'disconnected' as const, exitCode: null, signal: null, durationMs: core.now() - startedAt }),
  );
  core.activity.add({ stop: () => terminal.kill(), ended: exited });
  void exited.then((end) => pass.ended({ ...end, stdoutBytes: bytes, stderrBytes: 0 }));
  return {
    input: gatedInput(core, terminal, new InputLines(command, 'terminal'), (notice) => output.write(notice)),
    output,
    exited,
    resize: (columns, rows) => terminal.resize(columns, rows),
    kill: () => terminal.kill(),
  };
}

/** Keys go through at once, for they have to echo; the Enter behind a line waits for the gate. */
function gatedInput(core: SandboxCore, terminal: DriverTerminal, lines: InputLines, notify: (notice: string) => void): Writable {
  const send = (bytes: Buffer): Promise<void> | undefined => {
    if (terminal.input.write(bytes)) return undefined;
    return new Promise((resolve) => terminal.input.once('drain', () => resolve()));
  };
  const pass = async (pieces: readonly InputPiece[]) => {
    for (const { bytes, text } of pieces) {
      if (text === undefined || text.trim() === '') {
        await send(bytes);
        continue;
      }
      try {
        const permission = await admit(core, { operation: 'terminal-input', command: text, reader: lines.reader });
        await send(bytes);
        lines.delivered(text);
        permission.ended(withoutOutput('written'));
      } catch (error) {
        if (!isPetasosError(error, 'not-approved')) throw error;
        await send(clearLine);
        notify(`\r\npetasos: ${error.message}\r\n`);
      }
    }
  };
  return new Writable({
    write(chunk: Buffer, _encoding, callback) {
      pass(lines.push(chunk)).then(() => callback(), callback);
    },
    final(callback) {
      pass(lines.end())
        .then(() => {
          terminal.input.end();
          callback();
        })
        .catch(callback);
    },
  });
}
