import { need } from '@petasos/testbed';
import { images, subjectOf } from './subject.js';

const { conf } = await need('slurm');

/** A SIF file on a node that SLURM gives, in an allocation of its own for each sandbox. */
export const subject = subjectOf(import.meta.url, { image: images.sif, slurm: { time: '30' } }, { SLURM_CONF: conf });
