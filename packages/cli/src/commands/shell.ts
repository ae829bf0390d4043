import { defineCommand, nameOption } from '../args/command.js';
import { defaultName, openSandbox, resolveTarget, startDirectory } from '../session/open-sandbox.js';
import { runPlainShell } from '../session/plain-shell.js';
import { runTerminal } from '../session/terminal.js';
import { CliError, UsageError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';

export default defineCommand({
  name: 'shell',
  summary: 'Work in the place interactively',
  usage: '[options]',
  details:
    'A terminal in the sandbox; it ends with the status of its shell.\n' +
    'With --plain a loop over lines: directory, variables and functions go from line to line, and it reads scripts too.',
  options: {
    name: nameOption,
    cwd: { type: 'string', value: 'DIR', help: 'directory where it starts' },
    plain: { type: 'boolean', help: 'read lines instead of opening a terminal' },
  },
  words: [0, 0],
  examples: [
    { line: 'petasos shell', does: 'a terminal where commands run' },
    { line: 'petasos shell --plain < steps.txt', does: 'run lines one after the other, in one session' },
  ],
  async run(context, values) {
    if (!values.plain && !(context.stdin.isTTY && context.stdout.isTTY)) {
      throw new UsageError('shell needs a terminal on stdin and stdout', 'Use petasos shell --plain, or petasos run.');
    }
    const target = await resolveTarget(context);
    const sandbox = await openSandbox(context, target, { name: values.name ?? defaultName });
    try {
      const cwd = values.cwd ?? startDirectory(context, target);
      if (values.plain)
        return await runPlainShell(context, sandbox, { cwd, timeoutMs: target.settings.timeoutMs, graceMs: target.settings.graceMs });
      if (!sandbox.capabilities.terminal) {
        throw new CliError(`${sandbox.backend}: this place offers no terminal`, {
          status: exitStatus.placeFailed,
          code: 'unsupported',
          remedy: 'Use petasos shell --plain.',
        });
      }
      return await runTerminal(context, sandbox, cwd);
    } finally {
      await sandbox.close();
    }
  },
});
