import type { AnyCommand, CommandGroup } from '../args/command.js';

export interface CommandEntry {
  readonly name: keyof typeof import('./all.js');
  readonly summary: string;
}

/** What there is, without loading any of it. */
export const commands: readonly CommandEntry[] = [
  { name: 'run', summary: 'Run one command in the configured place' },
  { name: 'shell', summary: 'Work in the place interactively' },
  { name: 'where', summary: 'Show where commands would run and what they could reach there' },
  { name: 'check', summary: 'Judge a command without running it' },
  { name: 'backends', summary: 'List the places that are installed, and those that could be' },
  { name: 'doctor', summary: 'Check that the places work, and say what to do where they do not' },
  { name: 'config', summary: 'Show and change the configuration' },
  { name: 'jobs', summary: 'See and end commands that run in the background' },
  { name: 'ls', summary: 'List sandboxes' },
  { name: 'rm', summary: 'Destroy sandboxes' },
  { name: 'approvals', summary: 'See and change what is allowed' },
  { name: 'audit', summary: 'Show what ran and what was refused' },
  { name: 'conformance', summary: 'Prove that a backend keeps the contract' },
];

export async function loadCommand({ name }: CommandEntry): Promise<AnyCommand | CommandGroup> {
  return (await import('./all.js'))[name];
}
