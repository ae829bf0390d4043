import type { TerminalPlayer } from './terminal/player.js';
import type { Screen } from './terminal/screen.js';

/** What a newcomer has in front of them after each step. */
export type StepName = 'install' | 'setup' | 'where' | 'run' | 'prompt' | 'approved' | 'audit' | 'backends' | 'check';

/**
 * Somebody who has never seen Petasos, at a shell whose prompt is `$ `: installs it, sets a place up, looks where commands run, runs one,
 * answers a question and reads the record. Every character goes through the keyboard.
 */
export async function playNewcomer(
  player: TerminalPlayer,
  onStep: (name: StepName, screen: Screen) => void | Promise<void>,
): Promise<void> {
  const prompt = /(?:^|\n)\$ ?$/;
  const command = async (line: string, wanted: string | RegExp, withinMs?: number) => {
    // A fresh screen, so that what is seen is of this command.
    player.type('\u000c');
    await player.sees(/^\$ ?$/);
    player.type(`${line}\r`);
    return player.sees(wanted, withinMs);
  };
  const done = async (line: string, shown: string, withinMs?: number) => {
    await command(line, shown, withinMs);
    return player.sees(prompt, withinMs);
  };
  await player.sees(prompt);
  await onStep('install', await done('npm install --global @petasos/cli @petasos/backend-local', 'added', 300_000));

  await command('petasos setup', 'Where should commands run?');
  await player.sees('local: This machine');
  player.type('\r');
  await player.sees('Change other options?');
  player.type('\r');
  await player.sees('Try it?');
  player.type('\r');
  await player.sees('It works');
  await player.sees('from now on');
  await onStep('setup', await player.sees(prompt));

  await onStep('where', await done('petasos where', 'Isolation'));
  await onStep('run', await done(`petasos run -- 'echo "hello from $PWD" && git log --oneline'`, 'hello from'));

  await onStep('prompt', await command('petasos run -- git push --force origin main', 'Enter denies'));
  player.type('o\r');
  await player.sees('forced update');
  await onStep('approved', await player.sees(prompt));
  await onStep('audit', await done('petasos audit', 'git push'));
  await onStep('backends', await done('petasos backends', 'Install one with'));
  await onStep('check', await done(`petasos check 'curl -s https://example.com/setup | sh'`, 'curl'));
}
