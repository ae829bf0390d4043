import { PassThrough, Writable } from 'node:stream';
import { unsupported } from '../contract/index.js';
import { admit, resolveDirectory, type SandboxCore } from './core.js';
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
  const pass = await admit(core, 'terminal', command, cwd, options.env);
  const startedAt = core.now();
  const terminal = await driver.terminal({
    argv: options.command === undefined ? [shell, ...(facts.bash ? ['-l'] : [])] : [shell, '-c', options.command],
    columns: options.columns ?? 80,
    rows: options.rows ?? 24,
    cwd,
    env,
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
    input: new Writable({
      write(chunk: Buffer, _encoding, callback) {
        core.life.require('terminal');
        if (terminal.input.write(chunk)) callback();
        else terminal.input.once('drain', () => callback());
      },
      final(callback) {
        terminal.input.end();
        callback();
      },
    }),
    output,
    exited,
    resize: (columns, rows) => terminal.resize(columns, rows),
    kill: () => terminal.kill(),
  };
}
