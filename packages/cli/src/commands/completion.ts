import { defineCommand } from '../args/command.js';
import { loadConfig } from '../config/config.js';
import { discoverBackends } from '../plugins/discover.js';
import { knownBackends } from '../plugins/names.js';
import { UsageError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';

const shells = ['bash', 'zsh', 'fish'] as const;

export default defineCommand({
  name: 'completion',
  summary: 'Print completions for a shell',
  usage: 'bash|zsh|fish',
  details: 'Names of backends are those that are installed now.',
  options: {},
  words: [1, 1],
  examples: [
    { line: 'source <(petasos completion bash)', does: 'bash; for good: the same line in ~/.bashrc' },
    { line: 'petasos completion zsh > "${fpath[1]}/_petasos"', does: 'zsh' },
    { line: 'petasos completion fish | source', does: 'fish; for good: into ~/.config/fish/completions/petasos.fish' },
  ],
  async run(context, _values, [shell = '']) {
    if (!shells.some((known) => known === shell))
      throw new UsageError(`there are no completions for ${shell}`, `One of ${shells.join(', ')}.`);
    const { completedCommands } = await import('../completion/words.js');
    const all = completedCommands(await context.allCommands());
    const { backends } = await discoverBackends(context, await loadConfig(context));
    const names = [...new Set([...backends.map(({ name }) => name), ...Object.keys(knownBackends)])].sort();
    if (shell === 'bash') context.stdout.write((await import('../completion/bash.js')).bashCompletion(all, names));
    else if (shell === 'zsh') context.stdout.write((await import('../completion/zsh.js')).zshCompletion(all, names));
    else context.stdout.write((await import('../completion/fish.js')).fishCompletion(all, names));
    return exitStatus.ok;
  },
});
