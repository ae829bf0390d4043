import singularity, { type SingularityOptions } from '@petasos/backend-singularity';
import { defineSubject, type Subject } from '@petasos/core/conformance';
import { behindFaultyLine } from '@petasos/core/testing';
import { clientOf, need } from '@petasos/testbed';

const { program, asUser, images } = await need('apptainer');

export { images };

type Given = Pick<SingularityOptions, 'image'> &
  Partial<Pick<SingularityOptions, 'persistent' | 'program'>> & { readonly slurm?: { readonly time: string } };

/** Containers of an ordinary user, behind a line that scenarios can cut; `env`: further variables that this user has. */
export function subjectOf(module: string, given: Given, env: Readonly<Record<string, string>> = {}): Subject {
  const line = behindFaultyLine(singularity);
  const options = { program, launcher: withVariables(env), ...given };
  return defineSubject({
    backend: line.backend,
    options,
    modes: { 'network.none': { ...options, network: 'none' } },
    faults: line.faults,
    spawnClient: clientOf(module),
  });
}

function withVariables(env: Readonly<Record<string, string>>): string[] {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [...asUser, ...(variables.length > 0 ? ['env', ...variables] : [])];
}
