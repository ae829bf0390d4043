import type { Files, Jobs, Sandbox, Shell } from '../../src/sandbox/types.js';
import { type Animal, breakSandbox, overlay } from './animal.js';

/** Replaces members of every session. */
export function breakShell(replace: (shell: Shell, sandbox: Sandbox) => Partial<Shell>): Animal['breakIt'] {
  return breakSandbox((sandbox) => {
    const broken = new Map<string, Shell>();
    return {
      shell: (name = 'default', options) => {
        const shell = broken.get(name) ?? sandbox.shell(name, options);
        if (!broken.has(name)) broken.set(name, overlay(shell, replace(shell, sandbox)));
        return broken.get(name) ?? shell;
      },
    };
  });
}

/** Runs another text than the one that was given to a session. */
export function rewriteShell(rewrite: (command: string) => string): Animal['breakIt'] {
  return breakShell((shell) => ({ exec: (command, options) => shell.exec(rewrite(command), options) }));
}

/** Replaces members of the jobs of every sandbox. */
export function breakJobs(replace: (jobs: Jobs, sandbox: Sandbox) => Partial<Jobs>): Animal['breakIt'] {
  return breakSandbox((sandbox) => ({ jobs: overlay(sandbox.jobs, replace(sandbox.jobs, sandbox)) }));
}

/** Replaces members of the files of every sandbox. */
export function breakFiles(replace: (files: Files, sandbox: Sandbox) => Partial<Files>): Animal['breakIt'] {
  return breakSandbox((sandbox) => ({ files: overlay(sandbox.files, replace(sandbox.files, sandbox)) }));
}
