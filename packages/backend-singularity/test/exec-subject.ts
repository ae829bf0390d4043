import { programWithoutInstances } from './no-instances.js';
import { images, subjectOf } from './subject.js';

/** An image file where the site allows no instances: all runs inside one long `exec`. */
export const subject = subjectOf(import.meta.url, { image: images.sif, program: await programWithoutInstances() });
