import type { AnyCommand, CommandGroup } from '../args/command.js';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Commands are loaded when they are used, so that their number costs nothing at start-up. */
  load(): Promise<AnyCommand | CommandGroup>;
}

const entry = (name: string, summary: string, load: () => Promise<{ readonly default: AnyCommand | CommandGroup }>): CommandEntry => ({
  name,
  summary,
  load: async () => (await load()).default,
});

export const commands: readonly CommandEntry[] = [
  entry('run', 'Run one command in the configured place', () => import('./run.js')),
  entry('shell', 'Work in the place interactively', () => import('./shell.js')),
  entry('where', 'Show where commands would run and what they could reach there', () => import('./where.js')),
  entry('backends', 'List the places that are installed, and those that could be', () => import('./backends.js')),
  entry('doctor', 'Check that the places work, and say what to do where they do not', () => import('./doctor.js')),
  entry('config', 'Show and change the configuration', () => import('./config.js')),
  entry('jobs', 'See and end commands that run in the background', () => import('./jobs.js')),
  entry('ls', 'List sandboxes', () => import('./ls.js')),
  entry('rm', 'Destroy sandboxes', () => import('./rm.js')),
  entry('conformance', 'Prove that a backend keeps the contract', () => import('./conformance.js')),
];
