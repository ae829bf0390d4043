import singularity from '@petasos/backend-singularity';
import { defineSubject } from '@petasos/core/conformance';
import { behindFaultyLine } from '@petasos/core/testing';
import { clientOf, need } from '@petasos/testbed';

const { program, asUser, images } = await need('apptainer');
const line = behindFaultyLine(singularity);
const options = { image: images.sandbox, program, launcher: asUser };

/** A directory with a root file system, with an overlay, as an ordinary user. */
export const subject = defineSubject({
  backend: line.backend,
  options,
  modes: { 'network.none': { ...options, network: 'none' } },
  faults: line.faults,
  spawnClient: clientOf(import.meta.url),
});
