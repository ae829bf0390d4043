import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { prepareDesk } from '../src/desk.js';
import { playNewcomer, type StepName } from '../src/newcomer.js';
import { TerminalPlayer } from '../src/terminal/player.js';
import { screenSvg } from '../src/terminal/svg.js';

it('a newcomer installs, sets up, looks, runs, answers and reads the record', async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'petasos-newcomer-')));
  const desk = await prepareDesk(home, { env: inject('registry') });
  const player = new TerminalPlayer('bash', ['--norc', '--noprofile'], { cwd: desk.project, env: desk.env });
  onTestFinished(async () => {
    player.close();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });
  const seen = new Map<StepName, string>();
  await playNewcomer(player, (name, screen) => {
    seen.set(name, screen.text);
    expect(screenSvg(screen, name)).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    // What is wider than the terminal would have been broken or cut.
    for (const line of screen.text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
  expect(seen.get('where')).toContain('Starts in');
  expect(seen.get('run')).toContain(`hello from ${desk.project}`);
  expect(seen.get('prompt')).toMatch(/git push --force origin main\n\s+\^+/);
  expect(seen.get('approved')).toContain('forced update');
  expect(seen.get('audit')).toContain('git push --force origin main');
});
