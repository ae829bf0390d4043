import type { AnyCommand, CommandGroup } from '../args/command.js';

export interface CommandEntry {
  readonly name: keyof typeof import('./all.js') | keyof typeof import('./occasional.js');
  readonly summary: string;
}

/** What there is, without loading any of it. */
export const commands: readonly CommandEntry[] = [
  { name: 'run', summary: 'Run one command in the configured place' },
  { name: 'shell', summary: 'Work in the place interactively' },
  { name: 'where', summary: 'Show where commands would run and what they could reach there' },
  { name: 'check', summary: 'Judge a command without running it' },
  { name: 'setup', summary: 'Choose a place and make it work, question by question' },
  { name: 'choose', summary: 'Find the place that suits the work, in a few questions' },
  { name: 'backends', summary: 'List the places that are installed, and those that could be' },
  { name: 'doctor', summary: 'Check that the places work, and say what to do where they do not' },
  { name: 'config', summary: 'Show and change the configuration' },
  { name: 'trust', summary: "Let a project's own settings and backends count" },
  { name: 'ls', summary: 'List sandboxes' },
  { name: 'stop', summary: 'Pause sandboxes: their files stay, and they cost less or nothing' },
  { name: 'resume', summary: 'Wake sandboxes that were stopped' },
  { name: 'rm', summary: 'Destroy sandboxes' },
  { name: 'prune', summary: 'Destroy sandboxes that nobody uses any more; without --yes it only shows them' },
  { name: 'snapshot', summary: 'Keep the files of a sandbox as they are, and print the id to start from' },
  { name: 'restore', summary: 'Start a new sandbox from a snapshot' },
  { name: 'cp', summary: 'Copy a file or a tree into a sandbox, or out of it' },
  { name: 'jobs', summary: 'See and end commands that run in the background' },
  { name: 'approvals', summary: 'See and change what is allowed' },
  { name: 'audit', summary: 'Show what ran and what was refused' },
  { name: 'conformance', summary: 'Prove that a backend keeps the contract' },
  { name: 'bench', summary: 'Measure how fast a place is' },
  { name: 'plugin', summary: 'Add, remove and write backends' },
  { name: 'completion', summary: 'Print completions for a shell' },
];

export async function loadCommand({ name }: CommandEntry): Promise<AnyCommand | CommandGroup> {
  const daily = await import('./all.js');
  return name in daily
    ? daily[name as keyof typeof daily]
    : (await import('./occasional.js'))[name as keyof typeof import('./occasional.js')];
}
