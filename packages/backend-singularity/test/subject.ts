import singularity, { type SingularityOptions } from '@petasos/backend-singularity';
import { defineSubject, type Subject } from '@petasos/core/conformance';
import { behindFaultyLine } from '@petasos/core/testing';
import { clientOf, need } from '@petasos/testbed';

const { program, asUser, images } = await need('apptainer');

export { images };

/** Containers of an ordinary user, behind a line that scenarios can cut. */
export function subjectOf(module: string, given: Pick<SingularityOptions, 'image'> & Partial<SingularityOptions>): Subject {
  const line = behindFaultyLine(singularity);
  const options = { program, launcher: asUser, ...given };
  return defineSubject({
    backend: line.backend,
    options,
    modes: { 'network.none': { ...options, network: 'none' } },
    faults: line.faults,
    spawnClient: clientOf(module),
  });
}
