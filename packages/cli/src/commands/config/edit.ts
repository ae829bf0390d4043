import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCommand } from '../../args/command.js';
import { readConfigFile } from '../../config/file.js';
import { replaceFile } from '../../config/replace-file.js';
import type { Context } from '../../session/context.js';
import { confirm, requireTerminal } from '../../ui/ask.js';
import { CliError } from '../../ui/errors.js';
import { exitStatus } from '../../ui/exit-status.js';
import { describeError, errorLine } from '../../ui/report-error.js';

export default defineCommand({
  name: 'edit',
  summary: "Edit the user's file in your editor; what cannot be read does not replace it",
  usage: '',
  details: 'The editor is that of VISUAL or EDITOR, else vi.',
  options: {},
  words: [0, 0],
  examples: [{ line: 'EDITOR=nano petasos config edit', does: 'with another editor' }],
  async run(context) {
    requireTerminal(context, 'config edit', 'Use petasos config set, or edit the file that petasos config path prints.');
    const { configFile } = context.paths;
    const directory = await mkdtemp(join(tmpdir(), 'petasos-edit-'));
    const draft = join(directory, 'config.yaml');
    try {
      const before = await copyFile(configFile, draft).then(
        () => readFile(draft, 'utf8'),
        () => '',
      );
      while (!(await editedWell(context, draft)))
        if (!(await confirm(context, 'Edit it again?'))) throw new CliError('the file is as it was', { code: 'cancelled' });
      const after = await readFile(draft, 'utf8').catch(() => '');
      if (after === before) context.stderr.write('Nothing was changed.\n');
      else await replaceFile(configFile, after);
      return exitStatus.ok;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
});

async function editedWell(context: Context, draft: string): Promise<boolean> {
  await runEditor(context, draft);
  try {
    await readConfigFile(draft);
    return true;
  } catch (error) {
    context.stderr.write(`${errorLine(describeError(error))}\n`);
    return false;
  }
}

/** The variable may hold options: it is a command of the user's own, as it is for every other program. */
async function runEditor({ env }: Context, file: string): Promise<void> {
  const editor = env.VISUAL || env.EDITOR || 'vi';
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env: { ...env } });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (status !== 0)
    throw new CliError(`the editor (${editor}) ended with ${String(status)}; the file is as it was`, { code: 'editor-failed' });
}
