import { failure } from './errors.js';
import { type Machine, runScript } from './machine/machine.js';
import type { SingularityOptions } from './options.js';
import { hello } from './scripts/sandbox.js';

/** A machine and what this backend needs to know of it. */
export interface Site {
  readonly machine: Machine;
  readonly home: string;
  readonly user: { readonly name: string; readonly uid: number };
  readonly host: string;
  /** Directory of the sandboxes. */
  readonly root: string;
  /** Path of `apptainer` or `singularity`; empty where there is none. */
  readonly program: string;
}

export async function visit(machine: Machine, options: Pick<SingularityOptions, 'stateDirectory' | 'program'>): Promise<Site> {
  const { exitCode, stdout, stderr } = await runScript(machine, hello, [options.stateDirectory ?? '', options.program ?? ''], {
    timeoutMs: 30_000,
  });
  if (exitCode !== 0) {
    throw failure('place-failed', `no command runs on ${machine.title}: ${lastLine(stderr) || `status ${exitCode}`}`, {
      operation: 'open',
      remedy: 'Check the launcher of the singularity options.',
    });
  }
  const [home = '/', name = '', uid = '', host = '', root = '', program = ''] = stdout.split('\n');
  return { machine, home, user: { name, uid: Number(uid) }, host, root, program };
}

/** @throws `unavailable` where neither program is installed. */
export function requireProgram(site: Site): void {
  if (site.program !== '') return;
  throw failure('unavailable', `neither apptainer nor singularity is found on ${site.machine.title}`, {
    operation: 'open',
    remedy: missingProgramRemedy,
  });
}

export const missingProgramRemedy =
  'On a cluster load its module first (module avail apptainer singularity); elsewhere install the package apptainer, or set the option program.';

/** Directory of a sandbox on the machine. */
export function directoryOf(site: Site, name: string): string {
  return `${site.root}/${name}`;
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
